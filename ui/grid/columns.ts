import type { Column } from './row-source';

export const minWidth = 48;
export const maxWidth = 1200;
const usual = 160;

/**
 * The columns in display order, pinned ones first, with the width and start of each. A
 * position is an index in display order. An index refers to the list passed in.
 */
export class Columns {
  #given: readonly Column[] = [];
  #order: number[] = [];
  #starts: number[] = [];
  #widths = new Map<string, number>();
  #pinned = new Map<string, boolean>();
  #room = Number.POSITIVE_INFINITY;
  /** Width of the row numbers, in pixels. */
  lead = 0;
  /** Number of pinned columns. Fewer than requested if there is not enough room. */
  pinnedCount = 0;

  constructor(given: readonly Column[]) {
    this.setColumns(given);
  }

  /** Sets the columns. Columns with a known key keep their width and stay pinned or unpinned. */
  setColumns(given: readonly Column[]): void {
    this.#given = given;
    this.#arrange();
  }

  get count(): number {
    return this.#order.length;
  }

  at(position: number): Column {
    return this.#given[this.#order[position]!]!;
  }

  /** Returns the index of the column's cell in Row.cells. */
  sourceIndex(position: number): number {
    return this.#order[position]!;
  }

  position(key: string): number {
    return this.#order.findIndex((index) => this.#given[index]!.key === key);
  }

  width(position: number): number {
    const column = this.at(position);
    return this.#widths.get(column.key) ?? column.width ?? usual;
  }

  /** Returns the distance from the start of the row to a column, in pixels. */
  start(position: number): number {
    return this.lead + this.#starts[position]!;
  }

  /** Width of the row numbers and pinned columns, in pixels. */
  get paneWidth(): number {
    return this.lead + this.#starts[this.pinnedCount]!;
  }

  get totalWidth(): number {
    return this.lead + this.#starts[this.count]!;
  }

  isPinned(position: number): boolean {
    return this.#isPinned(this.at(position));
  }

  #isPinned({ key, pinned = false }: Column): boolean {
    return this.#pinned.get(key) ?? pinned;
  }

  resize(position: number, width: number): void {
    this.#widths.set(this.at(position).key, Math.round(Math.min(maxWidth, Math.max(minWidth, width))));
    this.#arrange();
  }

  pin(position: number, on: boolean): void {
    this.#pinned.set(this.at(position).key, on);
    this.#arrange();
  }

  /**
   * Reserves `lead` pixels for the row numbers and limits the row numbers and pinned columns
   * to `room` pixels, so that the remaining columns can scroll. Reports whether the layout
   * changed.
   */
  fit(lead: number, room: number): boolean {
    if (room === this.#room && lead === this.lead) return false;
    this.#room = room;
    this.lead = lead;
    this.#arrange();
    return true;
  }

  /**
   * Returns the first and last scrolling positions that are at least partly visible. If
   * there are none, last is less than first.
   */
  visible(left: number, width: number): { first: number; last: number } {
    const first = Math.max(this.pinnedCount, this.positionAt(left + this.paneWidth));
    return { first, last: Math.max(first - 1, this.positionAt(left + width - 1)) };
  }

  /** Returns the position at an offset from the start of the row, in pixels. */
  positionAt(place: number): number {
    const x = place - this.lead;
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= x) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #arrange(): void {
    const pinned = (index: number) => this.#isPinned(this.#given[index]!);
    const all = this.#given.map((_, index) => index).filter((index) => !this.#given[index]!.hidden);
    const first = all.filter(pinned);
    this.#order = [...first, ...all.filter((index) => !pinned(index))];
    this.#starts = [0];
    for (let p = 0; p < this.count; p++) this.#starts.push(this.#starts[p]! + this.width(p));
    this.pinnedCount = first.length;
    while (this.pinnedCount > 0 && this.paneWidth > this.#room) this.pinnedCount--;
  }
}
