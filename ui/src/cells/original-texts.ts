import type { Row as WireRow } from '../api';
import type { Place } from './columns';

const maxTexts = 100_000;

/**
 * Texts of cells before they were changed, as far as this page has seen them:
 * cells that had a problem, and cells changed here. A cell with a different text
 * is shown as changed.
 */
export class OriginalTexts {
  readonly #texts = new Map<string, string>();

  /** Stores the text of a cell, unless an older one is stored. */
  remember(id: string, key: string, text: string): void {
    const name = `${id} ${key}`;
    if (this.#texts.has(name) || this.#texts.size >= maxTexts) return;
    this.#texts.set(name, text);
  }

  /** Reports whether a cell differs from the file. Stores the text if the row is unchanged. */
  isChanged(row: WireRow, place: Place, text: string): boolean {
    if (row.version === 0) {
      this.remember(row.id, place.column.key, text);
      return false;
    }
    const before = this.#texts.get(`${row.id} ${place.column.key}`);
    return before !== undefined && before !== text;
  }
}
