import type { Core } from './core';
import { splitForFill, fillPattern } from './fill';
import type { Place, Range } from './ranges';

/** Actions of keys that do not move the selection. */
export interface Actions {
  edit(first: 'keep' | 'replace'): void;
  openMenu(col: number): void;
  clear(): void;
  fill(direction: 'down' | 'right'): void;
  toggle(place: Place): boolean;
  problem(step: 1 | -1, held: boolean): void;
  dismiss(): boolean;
}

const mac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Handles keys while no cell is being edited. */
export class Keys {
  readonly #core: Core;
  readonly #actions: Actions;

  constructor(core: Core, actions: Actions) {
    this.#core = core;
    this.#actions = actions;
  }

  /** Handles a key. Returns true if it handled the key and the browser must ignore the key. */
  press(event: KeyboardEvent): boolean {
    if (event.isComposing) return false;
    // Windows reports AltGr as Ctrl+Alt. It types characters, as Option does on a Mac.
    const types = event.getModifierState('AltGraph') || (event.altKey && mac && event.key.length === 1);
    if (types) return this.#type(event);
    const control = event.ctrlKey || event.metaKey;
    if (event.altKey) return this.#withAlt(event);
    if (control && this.#withControl(event)) return true;
    return this.#move(event, control) || (!control && this.#act(event)) || (!control && this.#type(event));
  }

  #withAlt(event: KeyboardEvent): boolean {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return false;
    const { active } = this.#core.selection;
    if (active.row < 0) this.#actions.openMenu(active.col);
    else this.#actions.problem(event.key === 'ArrowDown' ? 1 : -1, event.repeat);
    return true;
  }

  #withControl(event: KeyboardEvent): boolean {
    const { selection, outbox } = this.#core;
    const key = event.key.toLowerCase();
    if (key === 'z') outbox.undoOrRedo(event.shiftKey ? 'redo' : 'undo');
    else if (key === 'y') outbox.undoOrRedo('redo');
    else if (key === 'd') this.#actions.fill('down');
    else if (key === 'r' && !event.shiftKey) this.#actions.fill('right');
    else if (key === 'a') this.#select(() => selection.all());
    else if (key === ' ') this.#select(() => selection.columns(selection.active.col, selection.corner.col));
    else return false;
    return true;
  }

  #move(event: KeyboardEvent, control: boolean): boolean {
    const { selection, view } = this.#core;
    const from = event.shiftKey ? selection.corner : selection.active;
    const to = moveTarget(event.key, control, from, selection.size, view.pageRows, view.rtl);
    if (!to) return false;
    const header = to.row < 0 && event.shiftKey;
    this.#core.moveTo(header ? { ...to, row: 0 } : to, event.shiftKey);
    return true;
  }

  #act(event: KeyboardEvent): boolean {
    const { selection } = this.#core;
    const { active } = selection;
    if (active.row < 0) return this.#inHeader(event);
    if (event.key === 'F2') this.#actions.edit('keep');
    else if (event.key === 'Enter') this.#actions.toggle(active) || this.#actions.edit('keep');
    else if (event.key === 'Delete' || event.key === 'Backspace') this.#actions.clear();
    else if (event.key === 'Escape') return this.#actions.dismiss();
    else if (event.key === ' ') this.#space(event, active);
    else return false;
    return true;
  }

  #space(event: KeyboardEvent, active: Place): void {
    const { selection } = this.#core;
    if (!event.shiftKey && this.#actions.toggle(active)) return;
    this.#select(() => selection.rows(active.row, selection.corner.row));
  }

  #inHeader(event: KeyboardEvent): boolean {
    const { selection } = this.#core;
    if (event.key === 'Enter' || event.key === 'F2') this.#actions.openMenu(selection.active.col);
    else if (event.key === ' ') this.#select(() => selection.columns(selection.active.col, selection.active.col));
    else return false;
    return true;
  }

  /**
   * Starts an edit when a character is typed. By the time the browser handles the
   * key, the editor has the focus and receives the character or the composition.
   */
  #type(event: KeyboardEvent): boolean {
    const types = [...event.key].length === 1 || event.key === 'Process' || event.key === 'Unidentified';
    if (types && this.#core.selection.active.row >= 0) this.#actions.edit('replace');
    return false;
  }

  #select(how: () => void): void {
    how();
    this.#core.selectionChanged();
  }
}

/** Returns the target of a movement key, or null for other keys. */
export function moveTarget(
  key: string, control: boolean, from: Place, size: { rows: number; cols: number }, page: number, rtl: boolean,
): Place | null {
  const lastRow = size.rows - 1;
  const lastCol = size.cols - 1;
  const across = (step: number) => ({ row: from.row, col: control ? (step > 0 ? lastCol : 0) : from.col + step });
  switch (key) {
    case 'ArrowUp': return { ...from, row: control ? 0 : from.row - 1 };
    case 'ArrowDown': return { ...from, row: control ? lastRow : from.row + 1 };
    case 'ArrowLeft': return across(rtl ? 1 : -1);
    case 'ArrowRight': return across(rtl ? -1 : 1);
    case 'PageUp': return { ...from, row: Math.max(0, from.row - page) };
    case 'PageDown': return { ...from, row: Math.min(lastRow, from.row + page) };
    case 'Home': return control ? { row: 0, col: 0 } : { ...from, col: 0 };
    case 'End': return control ? { row: lastRow, col: lastCol } : { ...from, col: lastCol };
    default: return null;
  }
}

/** Fills the selected range from its first row or column, if that row or column is loaded. */
export function fillInside(core: Core, direction: 'down' | 'right', read: (range: Range) => string[][] | null): void {
  const range = core.selection.range;
  const parts = range && splitForFill(range, direction);
  const texts = parts && read(parts.from);
  if (texts) core.change(parts.area, fillPattern(texts, parts.from, parts.area).texts, 'fill');
  else if (parts) core.notify(core.texts.cannotFill());
}
