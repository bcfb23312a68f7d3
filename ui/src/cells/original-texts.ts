import type { Row as WireRow } from '../api';
import type { Place } from './columns';

const maxTexts = 100_000;

/**
 * The text of cells before they were changed, if this page has seen it: the text of cells that
 * had a problem, and of cells changed here. A cell with different text is shown as changed.
 */
export class OriginalTexts {
  readonly #texts = new Map<string, string>();

  /** Stores the text of a cell unless older text is stored. */
  remember(id: string, key: string, text: string): void {
    const name = `${id} ${key}`;
    if (this.#texts.has(name) || this.#texts.size >= maxTexts) return;
    this.#texts.set(name, text);
  }

  /**
   * Reports whether a cell differs from the original file. Stores the text if the row is
   * unchanged.
   */
  isChanged(row: WireRow, place: Place, text: string): boolean {
    if (row.version === 0) {
      this.remember(row.id, place.column.key, text);
      return false;
    }
    const before = this.#texts.get(`${row.id} ${place.column.key}`);
    return before !== undefined && before !== text;
  }
}
