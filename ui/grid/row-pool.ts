import type { Core } from './core';
import type { Range, Span } from './ranges';
import { RowView, orderChildren } from './row-view';

/** The drawn rows. The elements of rows that scroll out of view are reused. */
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
      const view = this.#rows.get(index) ?? this.#reuseOrCreate(index, spare);
      view.moveTo(this.#core.view.topOf(index));
      view.show(this.#core, index, span, range, this.#core.version);
    }
    for (const view of spare) view.element.remove();
  }

  /** Sorts the elements into reading order. */
  reorder(): void {
    const sorted = [...this.#rows].sort((a, b) => a[0] - b[0]).map(([, view]) => view);
    orderChildren(this.#core.surface.body, sorted.map((view) => view.element));
    for (const view of sorted) view.reorder();
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

  #reuseOrCreate(index: number, spare: RowView[]): RowView {
    const used = spare.pop();
    const view = used ?? new RowView();
    if (!used) this.#core.surface.body.append(view.element);
    this.#rows.set(index, view);
    return view;
  }
}
