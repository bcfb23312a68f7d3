import type { Row } from '../../grid';

const maxRows = 12_000;

/** The most recently loaded rows of the view, by index. */
export class RowCache {
  readonly #rows = new Map<number, Row>();
  #first: readonly Row[] | undefined;

  store(from: number, rows: readonly Row[]): void {
    if (this.#rows.size + rows.length > maxRows) this.#rows.clear();
    for (const [at, row] of rows.entries()) this.#rows.set(from + at, row);
  }

  /** Stores the first rows of a view until they are requested. */
  setFirst(rows: readonly Row[]): void {
    this.#first = rows;
  }

  /** On the first call, returns the rows passed to setFirst. On later calls, returns undefined. */
  takeFirst(): readonly Row[] | undefined {
    const first = this.#first;
    this.#first = undefined;
    return first;
  }

  /**
   * On the first call, returns the rows passed to setFirst if they are exactly the requested
   * ones. Returns null otherwise.
   */
  takeFirstFor(from: number, to: number, total: number): readonly Row[] | null {
    const first = this.takeFirst();
    return first && from === 0 && first.length === Math.min(to, total) ? first : null;
  }

  row(index: number): Row | undefined {
    return this.#rows.get(index);
  }

  clear(): void {
    this.#rows.clear();
    this.#first = undefined;
  }
}
