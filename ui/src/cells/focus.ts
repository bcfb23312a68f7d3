import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A field that has the keyboard as soon as it is there, and what it holds goes with the first letter; the dialog around it would give the keyboard to its title. */
export function useAutoFocus(): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return field;
}

/**
 * Keeps the focus in a list: where the entry that has it goes, the next one gets
 * it, else the one before. `last` is called where none is left.
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
      // Somebody who fixes one value after the other continues with the fix of the next.
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
