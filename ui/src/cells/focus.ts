import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * When a field appears, focuses it and selects its text. Otherwise, the dialog would focus its
 * title.
 */
export function useAutoFocus(): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return field;
}

/**
 * Keeps the focus in a list. If the focused entry is removed, the next entry gets the focus, or
 * the previous entry if there is no next one. Calls `last` if no entry is left.
 */
export function useKeptFocus(root: RefObject<HTMLElement | null>, last: () => void): void {
  const leave = useRef(last);
  leave.current = last;
  useEffect(() => {
    const list = root.current!;
    let held: Element | null = null;
    let order: Element[] = [];
    const onFocus = ({ target }: FocusEvent) => {
      held = target as Element;
      const entries = [...list.querySelectorAll('li')];
      order = [...entries.slice(Math.max(0, entries.indexOf(held.closest('li')!))), ...entries.reverse()];
    };
    const pass = () => {
      const next = order.find((one) => one.isConnected);
      const buttons = [...(next?.querySelectorAll<HTMLElement>('button:enabled') ?? [])];
      // Focus the same button of the next entry, because many users fix one value after
      // another.
      const button = next?.matches('.c-value') ? (buttons.find((one) => one.className === held!.className) ?? buttons.at(-1)) : buttons[0];
      if (button) button.focus();
      else leave.current();
    };
    const watch = new MutationObserver(() => {
      if (!held || held.isConnected) return;
      if (document.activeElement === document.body) pass();
      else held = null;
    });
    watch.observe(list, { childList: true, subtree: true });
    list.addEventListener('focusin', onFocus);
    return () => {
      watch.disconnect();
      list.removeEventListener('focusin', onFocus);
      if (list.contains(document.activeElement) || (held && document.activeElement === document.body)) leave.current();
    };
  }, []);
}
