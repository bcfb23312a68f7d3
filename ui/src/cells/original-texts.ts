import type { Row as WireRow } from '../api';
import type { Place } from './columns';

const maxTexts = 100_000;

/**
 * What cells held before they were changed, as far as this page has seen it: of
 * those that had a problem, and of those that were changed here. A cell that
 * holds another text now is shown as fixed.
 */
export class OriginalTexts {
  readonly #texts = new Map<string, string>();

  /** Keeps what a cell held, unless something older is kept. */
  remember(id: string, key: string, text: string): void {
    const name = `${id} ${key}`;
    if (this.#texts.has(name) || this.#texts.size >= maxTexts) return;
    this.#texts.set(name, text);
  }

  /** Keeps the cells with problems of a row that came, and reports whether one holds another text than the file did. */
  isChanged(row: WireRow, place: Place, text: string): boolean {
    if (row.version === 0) {
      this.remember(row.id, place.column.key, text);
      return false;
    }
    const before = this.#texts.get(`${row.id} ${place.column.key}`);
    return before !== undefined && before !== text;
  }
}
