import { CellView } from './cell-view';
import type { Core } from './core';
import { setAttribute, createElement } from './dom';
import { cellDisplay, problemText, worstLevel } from './cell-display';
import type { Row } from './row-source';
import type { Range, Span } from './ranges';

/** The elements of one row. They are reused for other rows. */
export class RowView {
  readonly element = createElement('div', 'ig-row', { role: 'row' });
  index = -1;
  readonly #pane = createElement('div', 'ig-pane');
  readonly #number = createElement('div', 'ig-number', { role: 'rowheader', 'aria-colindex': '1' });
  readonly #cells = new Map<number, CellView>();
  #drawn: Row | undefined;
  #stamp = -1;
  #place = Number.NaN;
  #pinned = 0;
  #state = '';
  #description = '';
  #span: Span = { first: 0, last: -1 };

  constructor() {
    this.#pane.append(this.#number);
    this.element.append(this.#pane);
  }

  cell(col: number): HTMLElement | undefined {
    return this.#cells.get(col)?.element;
  }

  /** Moves the row by whole pixels, because text is blurred at fractional positions. */
  moveTo(top: number): void {
    const rounded = Math.round(top);
    if (rounded === this.#place) return;
    this.#place = rounded;
    this.element.style.transform = `translateY(${rounded}px)`;
  }

  /** Draws a row. stamp must change whenever anything except the row itself changes. */
  show(core: Core, index: number, span: Span, range: Range | null, stamp: number): void {
    const row = core.blocks.row(index);
    const stays = span.first === this.#span.first && span.last === this.#span.last;
    if (stays && index === this.index && row === this.#drawn && stamp === this.#stamp) return;
    if (index !== this.index) this.element.setAttribute('aria-rowindex', String(index + 2));
    this.index = index;
    this.#drawn = row;
    this.#stamp = stamp;
    this.#span = span;
    this.#showNumber(core, row, index, range);
    this.#assignCells(core.columns.pinnedCount, span);
    for (const [col, view] of this.#cells) view.show(cellDisplay(core, row, index, col, range));
  }

  /** Sorts the cells into reading order. */
  reorder(): void {
    const sorted = [...this.#cells].sort((a, b) => a[0] - b[0]);
    for (const [pane, views] of this.#panes(sorted)) orderChildren(pane, views);
  }

  #panes(sorted: [number, CellView][]): [HTMLElement, HTMLElement[]][] {
    const pick = (pinned: boolean) => sorted.filter(([col]) => col < this.#pinned === pinned).map(([, view]) => view.element);
    return [
      [this.#pane, [this.#number, ...pick(true)]],
      [this.element, [this.#pane, ...pick(false)]],
    ];
  }

  #showNumber(core: Core, row: Row | undefined, index: number, range: Range | null): void {
    const text = core.formatNumber(row ? row.number : index + 1);
    if (this.#number.textContent !== text) this.#number.textContent = text;
    const within = range !== null && index >= range.top && index <= range.bottom;
    const state = row ? (row.past ? ' is-past' : '') : ' is-waiting';
    if (state !== this.#state) {
      this.#state = state;
      this.element.classList.toggle('is-past', row?.past === true);
      this.element.classList.toggle('is-waiting', !row);
      setAttribute(this.element, 'aria-busy', row ? null : 'true');
    }
    this.#showLevel(core, row, within);
  }

  /** Marks the row number if the row as a whole has problems. */
  #showLevel(core: Core, row: Row | undefined, within: boolean): void {
    const level = row?.problems ? worstLevel(row) : null;
    const className = `ig-number${within ? ' is-within' : ''}${level ? ` has-${level}` : ''}`;
    if (this.#number.className !== className) this.#number.className = className;
    const description = level && row?.problems ? problemText(core, row.problems) : '';
    if (description === this.#description) return;
    this.#description = description;
    setAttribute(this.#number, 'aria-description', description || null);
  }

  /** Assigns an element to each drawn column, reusing those of columns that scrolled out of view. */
  #assignCells(pinned: number, span: Span): void {
    if (pinned !== this.#pinned) this.#clear();
    this.#pinned = pinned;
    const spare: CellView[] = [];
    for (const [col, view] of this.#cells) {
      if (col < pinned || (col >= span.first && col <= span.last)) continue;
      this.#cells.delete(col);
      spare.push(view);
    }
    for (let col = 0; col < pinned; col++) this.#ensureCell(col, this.#pane, spare);
    for (let col = span.first; col <= span.last; col++) this.#ensureCell(col, this.element, spare);
    for (const view of spare) view.element.remove();
  }

  #ensureCell(col: number, pane: HTMLElement, spare: CellView[]): void {
    if (this.#cells.has(col)) return;
    const used = pane === this.element ? spare.pop() : undefined;
    const view = used ?? new CellView();
    if (!used) pane.append(view.element);
    this.#cells.set(col, view);
  }

  #clear(): void {
    for (const view of this.#cells.values()) view.element.remove();
    this.#cells.clear();
  }
}

/**
 * Sorts the children of an element. Removing the focused child would take its focus away,
 * so the other children move around it.
 */
export function orderChildren(parent: HTMLElement, sorted: HTMLElement[]): void {
  if (sorted.every((element, at) => parent.children[at] === element)) return;
  const fixed = sorted.findIndex((element) => element.contains(document.activeElement));
  sorted.forEach((element, at) => {
    if (at < fixed) parent.insertBefore(element, sorted[fixed]!);
    else if (at !== fixed) parent.append(element);
  });
}
