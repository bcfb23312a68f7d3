import type { Model } from './model';

export interface Shortcuts {
  search(): void;
  replace(): void;
  goTo(): void;
}

const mac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Shortcuts as shown to users. */
export const keys = {
  undo: mac ? '⌘Z' : 'Ctrl+Z',
  redo: mac ? '⇧⌘Z' : 'Ctrl+Y',
  replace: mac ? '⌃H' : 'Ctrl+H',
  search: mac ? '⌘F' : 'Ctrl+F',
  goTo: mac ? '⌃G' : 'Ctrl+G',
  next: mac ? '⌥↓' : 'Alt+↓',
  copy: mac ? '⌘C' : 'Ctrl+C',
  fill: mac ? '⌘D' : 'Ctrl+D',
} as const;

/** Handles the shortcuts of the whole step. The grid handles its own. */
export function shortcuts(event: KeyboardEvent, model: Model, act: Shortcuts): void {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
  if (leads(event, model) || withControl(event, model, act)) event.preventDefault();
}

function leads(event: KeyboardEvent, model: Model): boolean {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  // These keys open lists of options.
  const opens = event.target instanceof HTMLElement && event.target.matches('select, [aria-haspopup="listbox"]');
  if (!event.altKey || step === 0 || opens) return false;
  void model.goToProblem(step, event.repeat);
  return true;
}

function withControl(event: KeyboardEvent, model: Model, act: Shortcuts): boolean {
  if (event.altKey || !(event.ctrlKey || event.metaKey)) return false;
  const key = event.key.toLowerCase();
  if (key === 'f' && !event.shiftKey) act.search();
  else if (key === 'h' && !event.shiftKey) act.replace();
  else if (key === 'g' && !event.shiftKey) act.goTo();
  else if (isTyping(event.target)) return false;
  else if (key === 'z') event.shiftKey ? model.redo() : model.undo();
  else if (key === 'y') model.redo();
  else return false;
  return true;
}

/** Reports whether a text field has the focus. Text fields have their own undo. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
