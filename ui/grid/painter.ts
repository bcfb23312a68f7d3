import type { Core } from './core';
import { attribute, make } from './dom';
import { Head } from './head';
import type { Place } from './ranges';
import { RowPool } from './rowpool';

/** Draws what is in view, and keeps the focus where the active cell is. */
export class Painter {
  readonly head: Head;
  readonly #rows: RowPool;
  readonly #core: Core;
  readonly #handle = make('div', 'ig-handle', { 'aria-hidden': 'true' });
  #worn = '';
  /** Before the first answer nobody knows how many rows there are. */
  known = false;

  constructor(core: Core) {
    this.#core = core;
    this.head = new Head(core);
    this.#rows = new RowPool(core);
  }

  paint(): void {
    const { view, blocks, columns, selection } = this.#core;
    const rows = this.#count();
    selection.resize(blocks.total, columns.count);
    if (view.measure(rows, this.#lead(rows))) this.#core.stamp++;
    this.#dress();
    if (blocks.total > 0 || !this.known) blocks.want(view.rows.first, view.rows.last, view.direction);
    const range = selection.range;
    const span = view.span;
    this.#announceSize();
    this.head.show(span, range);
    this.#rows.show(view.rows, span, range);
    this.#mount();
    this.#keepFocus();
  }

  /** The element of a cell, where it is drawn. */
  element(place: Place): HTMLElement | undefined {
    return place.row < 0 ? this.head.cell(place.col) : this.#rows.view(place.row)?.cell(place.col);
  }

  focus(): void {
    const { scroller } = this.#core.surface;
    const element = this.element(this.#core.selection.active);
    (element ?? scroller).focus({ preventScroll: true });
  }

  tidy(): void {
    this.#rows.tidy();
  }

  get handle(): HTMLElement {
    return this.#handle;
  }

  #count(): number {
    const { view, blocks, surface } = this.#core;
    if (this.known) return blocks.total;
    return Math.ceil(surface.scroller.clientHeight / view.rowHeight);
  }

  #lead(rows: number): number {
    // The sign of a problem stands beside the number.
    return Math.max(52, 32 + Math.ceil(this.#core.figure(Math.max(rows, this.#core.largest)).length * 7.5));
  }

  #dress(): void {
    const { surface, columns, view } = this.#core;
    const worn = `${columns.lead} ${columns.paneWidth}`;
    if (worn === this.#worn) return;
    this.#worn = worn;
    surface.root.style.setProperty('--ig-row', `${view.rowHeight}px`);
    surface.root.style.setProperty('--ig-lead', `${columns.lead}px`);
    surface.root.style.setProperty('--ig-pane', `${columns.paneWidth}px`);
    surface.root.classList.toggle('has-pinned', columns.pinnedCount > 0);
  }

  #announceSize(): void {
    const { scroller } = this.#core.surface;
    attribute(scroller, 'aria-rowcount', this.known ? String(this.#core.blocks.total + 1) : '-1');
    attribute(scroller, 'aria-colcount', String(this.#core.columns.count + 1));
  }

  /** The handle to fill with stands in the last cell of the range. */
  #mount(): void {
    const { selection, columns } = this.#core;
    const range = selection.range;
    const corner = range && selection.mode === 'cells' && this.element({ row: range.bottom, col: range.right });
    if (!corner || columns.at(range.right).readOnly) this.#handle.remove();
    else if (this.#handle.parentElement !== corner) corner.append(this.#handle);
  }

  /**
   * Elements serve other rows once theirs went out of view. The focus must not
   * wander with them: until the active cell is back the grid itself holds it.
   */
  #keepFocus(): void {
    const { scroller } = this.#core.surface;
    const element = this.element(this.#core.selection.active);
    scroller.tabIndex = element ? -1 : 0;
    const focused = document.activeElement;
    const ours = focused === scroller || (focused?.matches('.ig-cell, .ig-head-cell') && scroller.contains(focused));
    if (ours && focused !== (element ?? scroller)) this.focus();
  }
}
