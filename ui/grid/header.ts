import type { Core } from './core';
import { setAttribute, createElement } from './dom';
import type { Range, Span } from './ranges';
import { orderChildren } from './row-view';

/** The elements of one column header. */
interface HeaderCell {
  readonly element: HTMLElement;
  readonly label: HTMLElement;
  readonly menu: HTMLButtonElement;
}

/** The header row. */
export class Header {
  readonly #core: Core;
  readonly #row = createElement('div', 'ig-row ig-head-row', { role: 'row', 'aria-rowindex': '1' });
  readonly #pane = createElement('div', 'ig-pane');
  readonly #corner: HTMLElement;
  readonly #cells = new Map<number, HeaderCell>();
  #stamp = -1;
  #span: Span = { first: 0, last: -1 };

  constructor(core: Core) {
    this.#core = core;
    const name = createElement('span', 'ig-hidden', {}, core.texts.rowHeader);
    this.#corner = createElement('div', 'ig-number ig-corner', { role: 'columnheader', 'aria-colindex': '1' }, name);
    this.#pane.append(this.#corner);
    this.#row.append(this.#pane);
    core.surface.head.append(this.#row);
  }

  cell(col: number): HTMLElement | undefined {
    return this.#cells.get(col)?.element;
  }

  show(span: Span, range: Range | null): void {
    const stays = this.#stamp === this.#core.version && span.first === this.#span.first && span.last === this.#span.last;
    if (stays) return;
    this.#stamp = this.#core.version;
    this.#span = span;
    this.#dropHidden(span);
    const pinned = this.#core.columns.pinnedCount;
    for (let col = 0; col < pinned; col++) this.#draw(col, this.#pane, range);
    for (let col = span.first; col <= span.last; col++) this.#draw(col, this.#row, range);
    this.#sortElements();
  }

  #dropHidden(span: Span): void {
    const pinned = this.#core.columns.pinnedCount;
    for (const [col, cell] of this.#cells) {
      const inPane = cell.element.parentElement === this.#pane;
      const drawn = col < pinned ? inPane : !inPane && col >= span.first && col <= span.last;
      if (drawn) continue;
      cell.element.remove();
      this.#cells.delete(col);
    }
  }

  #draw(col: number, pane: HTMLElement, range: Range | null): void {
    const { columns, selection, texts } = this.#core;
    const column = columns.at(col);
    const cell = this.#cells.get(col) ?? this.#make(col, pane);
    const active = selection.active.row < 0 && selection.active.col === col;
    if (cell.label.textContent !== column.label) cell.label.textContent = column.label;
    cell.element.style.insetInlineStart = `${columns.start(col)}px`;
    cell.element.style.inlineSize = `${columns.width(col)}px`;
    cell.element.tabIndex = active ? 0 : -1;
    cell.element.classList.toggle('is-active', active);
    cell.element.classList.toggle('is-within', range !== null && col >= range.left && col <= range.right);
    cell.element.classList.toggle('is-number', column.kind === 'number');
    setAttribute(cell.element, 'aria-sort', column.sorted ?? null);
    setAttribute(cell.menu, 'aria-label', `${texts.menu.open}: ${column.label}`);
  }

  #make(col: number, pane: HTMLElement): HeaderCell {
    const label = createElement('span', 'ig-label', { dir: 'auto' });
    const dots = createElement('span', 'ig-dots', { 'aria-hidden': 'true' });
    const menu = createElement('button', 'ig-menu-button', { type: 'button', tabindex: '-1', 'aria-haspopup': 'menu' }, dots);
    const grip = createElement('div', 'ig-grip', { 'aria-hidden': 'true' });
    const element = createElement(
      'div', 'ig-head-cell',
      { role: 'columnheader', 'aria-colindex': String(col + 2), tabindex: '-1' },
      label, menu, grip,
    );
    pane.append(element);
    const cell = { element, label, menu };
    this.#cells.set(col, cell);
    return cell;
  }

  /** Returns the column whose header contains an element, or null. */
  colOf(target: Element): number | null {
    for (const [col, cell] of this.#cells) if (cell.element.contains(target)) return col;
    return null;
  }

  isCorner(target: Element): boolean {
    return this.#corner.contains(target);
  }

  #sortElements(): void {
    const sorted = [...this.#cells].sort((a, b) => a[0] - b[0]);
    const pick = (pane: HTMLElement) =>
      sorted.filter(([, cell]) => cell.element.parentElement === pane).map(([, cell]) => cell.element);
    orderChildren(this.#pane, [this.#corner, ...pick(this.#pane)]);
    orderChildren(this.#row, [this.#pane, ...pick(this.#row)]);
  }
}
