import type { ComponentChildren } from 'preact';
import { Icon } from './icon';

export type Tone = 'error' | 'warning' | 'info' | 'good';

interface Props {
  readonly tone: Tone;
  /** Accessible name of the icon. */
  readonly toneLabel?: string;
  readonly title?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** Buttons or links. */
  readonly actions?: ComponentChildren;
}

/** A short note that users should not miss. */
export function Note({ tone, toneLabel, title, children, actions }: Props) {
  return (
    <div class={`k-note is-${tone}`}>
      <Icon name={tone} {...(toneLabel ? { label: toneLabel } : {})} />
      <div class="k-note-main">
        {title && <p class="k-note-title">{title}</p>}
        {children && <div class="k-note-text">{children}</div>}
        {actions && <div class="k-note-actions">{actions}</div>}
      </div>
    </div>
  );
}
