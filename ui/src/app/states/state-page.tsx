import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from '../../kit';

interface Props {
  readonly icon?: IconName;
  readonly sign?: ComponentChildren;
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A page with one message, which reports the state and what to do. */
export function StatePage({ icon, sign, title, lead, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Screen readers announce the new page when its title gets the focus.
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <main class="state">
      <div class="state-main">
        {(icon || sign) && <div class="state-sign">{icon ? <Icon name={icon} size={28} /> : sign}</div>}
        <h1 ref={heading} tabIndex={-1}>{title}</h1>
        {lead && <p class="lead">{lead}</p>}
        {children}
      </div>
    </main>
  );
}
