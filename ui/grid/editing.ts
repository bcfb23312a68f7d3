import type { Core } from './core';
import { displayText } from './display-text';
import { createElement } from './dom';
import { dateEditor } from './editors/date';
import type { Editor, EditorOptions } from './editors/editor';
import { multiEditor, selectEditor } from './editors/select';
import { textEditor } from './editors/text';
import type { ColumnKind, Row } from './row-source';
import type { Place } from './ranges';
import { checkboxState } from './visible-text';

const kinds: Readonly<Record<ColumnKind, (task: EditorOptions) => Editor>> = {
  text: textEditor,
  number: textEditor,
  date: dateEditor,
  select: selectEditor,
  multi: multiEditor,
  checkbox: textEditor,
};

/** Width of the outline of the editor, in pixels. */
const outline = 2;

interface Open {
  readonly place: Place;
  readonly editor: Editor;
  readonly frame: HTMLElement;
  readonly cell: HTMLElement;
  readonly row: Element;
  readonly before: string;
  /**
   * The row when the edit began. The editor hides changes that other users make in the
   * meantime.
   */
  readonly seen: Row;
  /** Whether typing started the edit. If so, arrow keys save and move to the next cell. */
  readonly quick: boolean;
}

/** The open edit. There is at most one. */
export class Editing {
  readonly #core: Core;
  readonly #element: (place: Place) => HTMLElement | undefined;
  #open: Open | null = null;

  constructor(core: Core, element: (place: Place) => HTMLElement | undefined) {
    this.#core = core;
    this.#element = element;
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** The element of the open editor. */
  get frame(): HTMLElement | undefined {
    return this.#open?.frame;
  }

  /** Opens the active cell. With 'replace', typed text replaces the text of the cell. */
  start(first: 'keep' | 'replace'): void {
    const place = this.#core.selection.active;
    this.commit();
    if (place.row < 0) return;
    const column = this.#core.columns.at(place.col);
    this.#core.view.reveal(place);
    this.#core.paint();
    const cell = this.#core.cell(place);
    const element = this.#element(place);
    if (!cell || !element) return;
    if (column.readOnly) return this.#core.surface.announce(this.#core.texts.readOnly(column.label));
    if (cell.cut && first === 'keep') return this.#core.emit({ type: 'long', spot: this.#core.spotOf(place), row: cell.row });
    const editor = kinds[column.kind]({
      column,
      text: cell.text,
      chosen: cell.value ?? cell.text,
      shown: displayText(column, cell.text),
      replace: first === 'replace',
      texts: this.#core.texts,
      layer: this.#core.surface.root,
      done: (text) => this.#finish(text),
    });
    this.#mount(place, editor, element, cell, first === 'replace');
  }

  /**
   * Toggles a checkbox. Returns false if the cell is not an editable checkbox, or if its text
   * means neither yes nor no.
   */
  toggle(place: Place): boolean {
    const column = this.#core.columns.at(place.col);
    const cell = this.#core.cell(place);
    const state = cell && column.kind === 'checkbox' ? checkboxState(cell) : null;
    if (state === null || column.readOnly) return false;
    this.#write(place, state ? 'false' : 'true');
    return true;
  }

  /** Ends the edit and saves the text. */
  commit(): void {
    if (!this.#open) return;
    const text = this.#open.editor.value();
    if (text === null) this.cancel();
    else this.#finish(text);
  }

  /** Ends the edit and discards the text. */
  cancel(): void {
    this.#close();
  }

  /** Ends the edit if its row is no longer drawn. */
  check(): void {
    if (!this.#open) return;
    const element = this.#element(this.#open.place);
    if (element?.closest('.ig-row') !== this.#open.row) this.commit();
  }

  #mount(place: Place, editor: Editor, element: HTMLElement, { text, row: seen }: { text: string; row: Row }, quick: boolean): void {
    const { columns } = this.#core;
    const frame = createElement('div', `ig-editor is-${columns.at(place.col).kind}`, {}, editor.element);
    frame.style.minInlineSize = `${columns.width(place.col)}px`;
    const row = element.closest('.ig-row')!;
    row.classList.add('is-editing');
    element.append(frame);
    // The editor is the tab stop now, not the cell under it.
    element.tabIndex = -1;
    this.#open = { place, editor, frame, cell: element, row, before: text, seen, quick };
    frame.addEventListener('keydown', (event) => this.#key(event));
    frame.addEventListener('focusout', (event) => this.#left(event));
    frame.addEventListener('input', () => this.#fit(frame));
    editor.focus();
    this.#fit(frame);
    // The list of options is open now, so the tooltip can avoid it.
    this.#core.repaint();
  }

  /** At the end of the table, lets the editor grow toward the start of the row. */
  #fit(frame: HTMLElement): void {
    const { scroller } = this.#core.surface;
    const [box, room] = [frame.getBoundingClientRect(), scroller.getBoundingClientRect()];
    const over = this.#core.view.rtl ? box.left - outline < room.right - scroller.clientWidth : box.right + outline > room.left + scroller.clientWidth;
    if (over) frame.classList.add('is-end');
  }

  #key(event: KeyboardEvent): void {
    event.stopPropagation();
    const open = this.#open;
    // Enter during a composition ends the composition, not the edit.
    if (!open || event.isComposing || event.keyCode === 229) return;
    if (open.editor.key?.(event) || this.#leave(event, open)) event.preventDefault();
  }

  #leave(event: KeyboardEvent, open: Open): boolean {
    if (event.key === 'Escape') {
      this.cancel();
      this.#core.delegate.focus();
      return true;
    }
    const step = stepOf(event, open.quick, this.#core.view.rtl);
    if (!step) return false;
    if (open.editor.value() === null) return true;
    this.commit();
    const { row, col } = open.place;
    this.#core.moveTo({ row: Math.max(0, row + step.row), col: col + step.col });
    return true;
  }

  #left(event: FocusEvent): void {
    const to = event.relatedTarget as Node | null;
    const open = this.#open;
    if (!open || (to && (open.frame.contains(to) || open.editor.owns?.(to)))) return;
    // The focus moved to the browser's date picker or to a different window, so the edit
    // continues.
    if (!to && document.activeElement === event.target) return;
    if (!to && !document.hasFocus()) return;
    this.commit();
  }

  #finish(text: string): void {
    const open = this.#open;
    if (!open) return;
    this.#close();
    if (text !== open.before) this.#write(open.place, text, open.seen);
    this.#core.delegate.focus();
  }

  #write(place: Place, text: string, seen?: Row): void {
    this.#core.change({ top: place.row, bottom: place.row, left: place.col, right: place.col }, [[text]], 'edit', seen);
  }

  #close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = null;
    const focused = open.frame.contains(document.activeElement);
    open.editor.close?.();
    open.frame.remove();
    open.row.classList.remove('is-editing');
    if (open.cell.matches('.is-active')) open.cell.tabIndex = 0;
    if (focused) this.#core.delegate.focus();
  }
}

/** Returns the step to the next cell for a key that ends an edit, or null for other keys. */
function stepOf(event: KeyboardEvent, quick: boolean, rtl: boolean): { row: number; col: number } | null {
  const across = rtl ? -1 : 1;
  if (event.key === 'Enter') return { row: event.shiftKey ? -1 : 1, col: 0 };
  if (event.key === 'Tab') return { row: 0, col: event.shiftKey ? -1 : 1 };
  if (!quick) return null;
  if (event.key === 'ArrowDown') return { row: 1, col: 0 };
  if (event.key === 'ArrowUp') return { row: -1, col: 0 };
  if (event.key === 'ArrowRight') return { row: 0, col: across };
  return event.key === 'ArrowLeft' ? { row: 0, col: -across } : null;
}
