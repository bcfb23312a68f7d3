import type { Row } from '../../grid';

const most = 12_000;

/** The rows of the view that came last, by index: to know which row a place is. */
export class Shelf {
  readonly #rows = new Map<number, Row>();
  #laid: readonly Row[] | undefined;

  put(from: number, rows: readonly Row[]): void {
    if (this.#rows.size + rows.length > most) this.#rows.clear();
    for (const [at, row] of rows.entries()) this.#rows.set(from + at, row);
  }

  /** Keeps the first rows of a view until they are asked for. */
  lay(rows: readonly Row[]): void {
    this.#laid = rows;
  }

  /** Gives what was laid ready, once. */
  take(): readonly Row[] | undefined {
    const laid = this.#laid;
    this.#laid = undefined;
    return laid;
  }

  /** The same where it is just what is wanted. */
  fetch(from: number, to: number, total: number): readonly Row[] | null {
    const laid = this.take();
    return laid && from === 0 && laid.length === Math.min(to, total) ? laid : null;
  }

  row(index: number): Row | undefined {
    return this.#rows.get(index);
  }

  clear(): void {
    this.#rows.clear();
    this.#laid = undefined;
  }
}
