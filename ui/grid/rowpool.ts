import type { Core } from './core';
import type { Range } from './ranges';
import { RowView, reorder, type Span } from './rowview';

/** The rows that are drawn. Elements of rows that went out of view serve those that come in. */
export class RowPool {
  readonly #core: Core;
  readonly #rows = new Map<number, RowView>();

  constructor(core: Core) {
    this.#core = core;
  }

  view(index: number): RowView | undefined {
    return this.#rows.get(index);
  }

  show(rows: Span, span: Span, range: Range | null): void {
    const spare = this.#outside(rows);
    for (let index = rows.first; index <= rows.last; index++) {
      const view = this.#rows.get(index) ?? this.#take(index, spare);
      view.place(this.#core.view.topOf(index));
      view.show(this.#core, index, span, range, this.#core.stamp);
    }
    for (const view of spare) view.element.remove();
  }

  /** Puts the elements into the order in which they are read. */
  tidy(): void {
    const sorted = [...this.#rows].sort((a, b) => a[0] - b[0]).map(([, view]) => view);
    reorder(this.#core.surface.body, sorted.map((view) => view.element));
    for (const view of sorted) view.tidy();
  }

  #outside(rows: Span): RowView[] {
    const spare: RowView[] = [];
    for (const [index, view] of this.#rows) {
      if (index >= rows.first && index <= rows.last) continue;
      this.#rows.delete(index);
      spare.push(view);
    }
    return spare;
  }

  #take(index: number, spare: RowView[]): RowView {
    const used = spare.pop();
    const view = used ?? new RowView();
    if (!used) this.#core.surface.body.append(view.element);
    this.#rows.set(index, view);
    return view;
  }
}
