import { useEffect } from 'preact/hooks';

/**
 * Lets digit keys choose an option of the focused question, or of the first unanswered one
 * if no question has the focus. Digits typed into fields are not affected.
 */
export function useDigits(open: () => string | null): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!/^[1-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const id = (event.target as Element).closest?.('[data-question]')?.getAttribute('data-question') ?? open();
      if (id === null) return;
      const card = [...document.querySelectorAll('[data-question]')].find((one) => one.getAttribute('data-question') === id);
      const input = card?.querySelector<HTMLInputElement>(`input[data-place="${event.key}"]`);
      if (!input) return;
      event.preventDefault();
      input.focus();
      input.click();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target.closest('dialog, [popover]')) return true;
  return target.matches('input:not([type=radio]):not([type=checkbox]), textarea, select');
}
