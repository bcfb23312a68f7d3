import type { Conflict } from './row-source';

/** Conflicts by cell. A conflict is removed when the cell is changed again. */
export class Conflicts {
  #lost = new Map<string, string>();

  add(conflict: Conflict): void {
    this.#lost.set(key(conflict.rowId, conflict.column), conflict.mine);
  }

  /** Returns the text that the user entered and that was not saved, or undefined. */
  get(rowId: string, column: string): string | undefined {
    return this.#lost.size === 0 ? undefined : this.#lost.get(key(rowId, column));
  }

  clear(rowId: string, column: string): void {
    this.#lost.delete(key(rowId, column));
  }
}

function key(rowId: string, column: string): string {
  return `${rowId}\n${column}`;
}
