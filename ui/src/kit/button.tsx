import type { ComponentChildren, Ref } from 'preact';
import { Icon, type IconName } from './icon';

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger';

interface Shared {
  readonly onClick?: (event: MouseEvent) => void;
  readonly disabled?: boolean;
  /** Whether an action is running. If so, the button keeps the focus but cannot be pressed. */
  readonly busy?: boolean;
  readonly small?: boolean;
  readonly class?: string;
  readonly refTo?: Ref<HTMLButtonElement>;
  readonly describedBy?: string;
  readonly pressed?: boolean;
  /** Whether the element that the button controls is open. */
  readonly expanded?: boolean;
  readonly controls?: string;
  readonly popup?: 'menu' | 'listbox' | 'dialog';
  /** Tooltip, for example with the shortcut. */
  readonly title?: string;
  readonly submits?: boolean;
  /** The name of the event that an embedding page receives when the button is pressed. */
  readonly event?: string;
  readonly id?: string;
}

interface ButtonProps extends Shared {
  readonly look?: ButtonLook;
  readonly icon?: IconName;
  /** Whether the icon follows the text. */
  readonly iconLast?: boolean;
  readonly children: ComponentChildren;
}

export function Button({ look = 'plain', icon, iconLast, children, ...rest }: ButtonProps) {
  const drawn = icon && <Icon name={icon} />;
  return (
    <button {...attributes(rest, `k-button k-${look}`)}>
      {!iconLast && drawn}
      <span class="k-button-text">{children}</span>
      {iconLast && drawn}
    </button>
  );
}

interface IconButtonProps extends Shared {
  readonly icon: IconName;
  /** Accessible name and tooltip. */
  readonly label: string;
}

export function IconButton({ icon, label, title = label, ...rest }: IconButtonProps) {
  return (
    <button {...attributes({ ...rest, title }, 'k-button k-quiet k-icon-button')} aria-label={label}>
      <Icon name={icon} />
    </button>
  );
}

function attributes(of: Shared, names: string) {
  const { onClick, busy, disabled, submits, id } = of;
  return {
    id,
    type: submits ? ('submit' as const) : ('button' as const),
    class: [names, of.small && 'k-small', busy && 'is-busy', of.class].filter(Boolean).join(' '),
    ref: of.refTo ?? null,
    disabled,
    title: of.title,
    'data-event': of.event,
    'aria-disabled': busy ? ('true' as const) : undefined,
    'aria-describedby': of.describedBy,
    'aria-pressed': of.pressed,
    'aria-expanded': of.expanded,
    'aria-controls': of.controls,
    'aria-haspopup': of.popup,
    onClick: (event: MouseEvent) => {
      if (busy) event.preventDefault();
      else onClick?.(event);
    },
  };
}
