import type { Core } from './core';
import { setAttribute, createElement } from './dom';
import { Header } from './header';
import type { Place } from './ranges';
import { RowPool } from './row-pool';

/** Draws the visible part of the table and keeps the focus on the active cell. */
export class Renderer {
  readonly head: Header;
  readonly #rows: RowPool;
  readonly #core: Core;
  readonly #handle = createElement('div', 'ig-handle', { 'aria-hidden': 'true' });
  #applied = '';
  /** Whether the number of rows is known, that is, whether a response has arrived. */
  counted = false;

  constructor(core: Core) {
    this.#core = core;
    this.head = new Header(core);
    this.#rows = new RowPool(core);
  }

  paint(): void {
    const { view, blocks, columns, selection, surface } = this.#core;
    const rows = this.#count();
    selection.resize(blocks.total, columns.count);
    if (view.measure(rows, this.#rowHeaderWidth(rows))) this.#core.version++;
    this.#applyLayout();
    if (blocks.total > 0 || !this.counted) blocks.setVisible(view.rows.first, view.rows.last, view.direction);
    const range = selection.range;
    const span = view.span;
    setAttribute(surface.scroller, 'aria-rowcount', this.counted ? String(blocks.total + 1) : '-1');
    setAttribute(surface.scroller, 'aria-colcount', String(columns.count + 1));
    this.head.show(span, range);
    this.#rows.show(view.rows, span, range);
    this.#placeHandle();
    this.#keepFocus();
  }

  /** Returns the element of a cell, or undefined if it is not drawn. */
  element(place: Place): HTMLElement | undefined {
    return place.row < 0 ? this.head.cell(place.col) : this.#rows.view(place.row)?.cell(place.col);
  }

  focus(): void {
    const { scroller } = this.#core.surface;
    const element = this.element(this.#core.selection.active);
    (element ?? scroller).focus({ preventScroll: true });
  }

  reorder(): void {
    this.#rows.reorder();
  }

  #count(): number {
    const { view, blocks, surface } = this.#core;
    if (this.counted) return blocks.total;
    return Math.ceil(surface.scroller.clientHeight / view.rowHeight);
  }

  #rowHeaderWidth(rows: number): number {
    // Leave room for the problem marker next to the number.
    return Math.max(52, 32 + Math.ceil(this.#core.formatNumber(Math.max(rows, this.#core.maxNumber)).length * 7.5));
  }

  #applyLayout(): void {
    const { surface, columns, view } = this.#core;
    const layout = `${columns.lead} ${columns.paneWidth}`;
    if (layout === this.#applied) return;
    this.#applied = layout;
    surface.root.style.setProperty('--ig-row', `${view.rowHeight}px`);
    surface.root.style.setProperty('--ig-lead', `${columns.lead}px`);
    surface.root.style.setProperty('--ig-pane', `${columns.paneWidth}px`);
    surface.root.classList.toggle('has-pinned', columns.pinnedCount > 0);
  }

  /** Moves the fill handle to the last cell of the range. */
  #placeHandle(): void {
    const { selection, columns } = this.#core;
    const range = selection.range;
    const corner = range && selection.mode === 'cells' && this.element({ row: range.bottom, col: range.right });
    if (!corner || columns.at(range.right).readOnly) this.#handle.remove();
    else if (this.#handle.parentElement !== corner) corner.append(this.#handle);
  }

  /**
   * Scrolling reuses the elements for other rows. The focus must not move with them, so the
   * scroller has the focus while the active cell is not drawn.
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
