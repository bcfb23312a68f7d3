import type { Row } from '../../grid';

const maxRows = 12_000;

/** The rows of the view that came last, by index: to know which row a place is. */
export class RowCache {
  readonly #rows = new Map<number, Row>();
  #first: readonly Row[] | undefined;

  store(from: number, rows: readonly Row[]): void {
    if (this.#rows.size + rows.length > maxRows) this.#rows.clear();
    for (const [at, row] of rows.entries()) this.#rows.set(from + at, row);
  }

  /** Keeps the first rows of a view until they are asked for. */
  setFirst(rows: readonly Row[]): void {
    this.#first = rows;
  }

  /** Gives what was laid ready, once. */
  takeFirst(): readonly Row[] | undefined {
    const laid = this.#first;
    this.#first = undefined;
    return laid;
  }

  /** The same where it is just what is wanted. */
  takeFirstFor(from: number, to: number, total: number): readonly Row[] | null {
    const laid = this.takeFirst();
    return laid && from === 0 && laid.length === Math.min(to, total) ? laid : null;
  }

  row(index: number): Row | undefined {
    return this.#rows.get(index);
  }

  clear(): void {
    this.#rows.clear();
    this.#first = undefined;
  }
}
