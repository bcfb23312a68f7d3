import { CellView } from './cellview';
import type { Core } from './core';
import { attribute, make } from './dom';
import { faceOf, tell, worst } from './face';
import type { Row } from './port';
import type { Range } from './ranges';

/** Positions that are drawn of the scrolled pane. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** The elements of one row. It is used again for other rows as they come into view. */
export class RowView {
  readonly element = make('div', 'ig-row', { role: 'row' });
  index = -1;
  readonly #pane = make('div', 'ig-pane');
  readonly #number = make('div', 'ig-number', { role: 'rowheader', 'aria-colindex': '1' });
  readonly #cells = new Map<number, CellView>();
  #drawn: Row | undefined;
  #stamp = -1;
  #place = Number.NaN;
  #pinned = 0;
  #state = '';
  #told = '';
  #span: Span = { first: 0, last: -1 };

  constructor() {
    this.#pane.append(this.#number);
    this.element.append(this.#pane);
  }

  cell(col: number): HTMLElement | undefined {
    return this.#cells.get(col)?.element;
  }

  /** Moves the row; whole pixels, as text between them blurs. */
  place(top: number): void {
    const rounded = Math.round(top);
    if (rounded === this.#place) return;
    this.#place = rounded;
    this.element.style.transform = `translateY(${rounded}px)`;
  }

  /** Draws a row; stamp differs wherever anything but the row itself differs. */
  show(core: Core, index: number, span: Span, range: Range | null, stamp: number): void {
    const row = core.blocks.row(index);
    const stays = span.first === this.#span.first && span.last === this.#span.last;
    if (stays && index === this.index && row === this.#drawn && stamp === this.#stamp) return;
    if (index !== this.index) this.element.setAttribute('aria-rowindex', String(index + 2));
    this.index = index;
    this.#drawn = row;
    this.#stamp = stamp;
    this.#span = span;
    this.#numbered(core, row, index, range);
    this.#fit(core.columns.pinnedCount, span);
    for (const [col, view] of this.#cells) view.show(faceOf(core, row, index, col, range));
  }

  /** Puts the cells into the order in which they are read. */
  tidy(): void {
    const sorted = [...this.#cells].sort((a, b) => a[0] - b[0]);
    for (const [pane, views] of this.#panes(sorted)) reorder(pane, views);
  }

  #panes(sorted: [number, CellView][]): [HTMLElement, HTMLElement[]][] {
    const pick = (pinned: boolean) => sorted.filter(([col]) => col < this.#pinned === pinned).map(([, view]) => view.element);
    return [
      [this.#pane, [this.#number, ...pick(true)]],
      [this.element, [this.#pane, ...pick(false)]],
    ];
  }

  #numbered(core: Core, row: Row | undefined, index: number, range: Range | null): void {
    const text = core.figure(row ? row.number : index + 1);
    if (this.#number.textContent !== text) this.#number.textContent = text;
    const within = range !== null && index >= range.top && index <= range.bottom;
    const state = row ? (row.past ? ' is-past' : '') : ' is-waiting';
    if (state !== this.#state) {
      this.#state = state;
      this.element.classList.toggle('is-past', row?.past === true);
      this.element.classList.toggle('is-waiting', !row);
      attribute(this.element, 'aria-busy', row ? null : 'true');
    }
    this.#signal(core, row, within);
  }

  /** Problems of the row as a whole stand at its number. */
  #signal(core: Core, row: Row | undefined, within: boolean): void {
    const level = row?.problems ? worst(row) : null;
    const dress = `ig-number${within ? ' is-within' : ''}${level ? ` has-${level}` : ''}`;
    if (this.#number.className !== dress) this.#number.className = dress;
    const told = level && row?.problems ? tell(core, row.problems) : '';
    if (told === this.#told) return;
    this.#told = told;
    attribute(this.#number, 'aria-description', told || null);
  }

  /** Gives every position that is drawn its cell, taking those that went out of view. */
  #fit(pinned: number, span: Span): void {
    if (pinned !== this.#pinned) this.#clear();
    this.#pinned = pinned;
    const spare: CellView[] = [];
    for (const [col, view] of this.#cells) {
      if (col < pinned || (col >= span.first && col <= span.last)) continue;
      this.#cells.delete(col);
      spare.push(view);
    }
    for (let col = 0; col < pinned; col++) this.#need(col, this.#pane, spare);
    for (let col = span.first; col <= span.last; col++) this.#need(col, this.element, spare);
    for (const view of spare) view.element.remove();
  }

  #need(col: number, pane: HTMLElement, spare: CellView[]): void {
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
 * Puts children into order. Taking the focused element out of the page would
 * take the focus from it, so the others move around it.
 */
export function reorder(parent: HTMLElement, sorted: HTMLElement[]): void {
  if (sorted.every((element, at) => parent.children[at] === element)) return;
  const fixed = sorted.findIndex((element) => element.contains(document.activeElement));
  sorted.forEach((element, at) => {
    if (at < fixed) parent.insertBefore(element, sorted[fixed]!);
    else if (at !== fixed) parent.append(element);
  });
}
