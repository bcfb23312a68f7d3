import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon';
import { Popover } from './popover';

export interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
  readonly icon?: IconName;
  /** The keyboard shortcut shown next to the item. */
  readonly keys?: string;
  readonly disabled?: boolean;
  /** Whether a line separates the item from the one above. */
  readonly apart?: boolean;
}

interface Props {
  readonly anchor: RefObject<HTMLElement | null>;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
  readonly at?: { readonly x: number; readonly y: number };
}

/** A menu of commands. Arrow keys move, Enter selects, Esc closes. */
export function Menu({ anchor, label, items, onClose, at }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const entries = () => [...list.current!.querySelectorAll<HTMLElement>('[role=menuitem]:not([aria-disabled=true])')];
  useEffect(() => entries()[0]?.focus(), []);

  const onKeyDown = (event: KeyboardEvent) => {
    const all = entries();
    const now = all.indexOf(document.activeElement as HTMLElement);
    const target = targetOf(event.key, now, all.length);
    if (event.key === 'Tab') onClose();
    if (target === null) return;
    event.preventDefault();
    all[target]?.focus();
  };
  const select = (item: MenuItem) => {
    if (item.disabled) return;
    onClose();
    anchor.current?.focus();
    item.onSelect();
  };
  return (
    <Popover anchor={anchor} onClose={onClose} role="menu" label={label} {...(at ? { at } : {})}>
      <div ref={list} class="k-menu" role="none" onKeyDown={onKeyDown}>
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            class={`k-menu-item${item.apart ? ' is-apart' : ''}`}
            aria-disabled={item.disabled ? 'true' : undefined}
            onClick={() => select(item)}
          >
            <span class="k-menu-icon">{item.icon && <Icon name={item.icon} />}</span>
            <span class="k-menu-label" dir="auto">{item.label}</span>
            {item.keys && <kbd dir="ltr">{item.keys}</kbd>}
          </button>
        ))}
      </div>
    </Popover>
  );
}

/** Returns the index of the item that a key moves to, or null for other keys. */
export function targetOf(key: string, now: number, count: number): number | null {
  if (key === 'ArrowDown') return (now + 1) % count;
  if (key === 'ArrowUp') return (Math.max(now, 0) + count - 1) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return null;
}
