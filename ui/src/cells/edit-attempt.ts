import { Fault, type CellConflict, type Verdict } from '../api';
import type { TableApi } from './table-api';
import type { CellEdit } from './edit-plan';

/** Maximum number of retries after conflicts with other users. */
const maxTries = 8;

/**
 * One change that is being sent. It remembers its progress. If a response is lost, the same
 * change is sent again and continues instead of starting over.
 */
export class EditAttempt {
  readonly conflicts: CellConflict[] = [];
  verdict: Verdict | null = null;
  readonly #op: string;
  #cells: readonly CellEdit[];
  #tries = 0;

  constructor(op: string, cells: readonly CellEdit[]) {
    this.#op = op;
    this.#cells = cells;
  }

  /**
   * Sends the cells. If somebody else changed some of them first, drops those and sends the
   * rest again.
   */
  async send(tableApi: TableApi): Promise<Verdict> {
    while (!this.verdict) {
      if (this.#cells.length === 0) return (this.verdict = noChange);
      try {
        this.verdict = await tableApi.edit({ op: this.#name, kind: 'set', cells: [...this.#cells] });
      } catch (cause) {
        this.#dropConflicts(cause);
      }
    }
    return this.verdict;
  }

  /** Operation ID. A retry with fewer cells is a different change and needs a new ID. */
  get #name(): string {
    return this.#tries === 0 ? this.#op : `${this.#op}.${this.#tries}`;
  }

  #dropConflicts(cause: unknown): void {
    const raced = cause instanceof Fault && cause.code === 'changed_by_others' && cause.cells.length > 0;
    if (!raced || this.#tries >= maxTries) throw cause;
    this.#tries++;
    const lost = new Set(cause.cells.map(cellKey));
    const mine = new Map(this.#cells.map((cell) => [cellKey(cell), cell.text]));
    // Two users who enter the same text are not in conflict.
    this.conflicts.push(...cause.cells.filter((conflict) => conflict.deleted || conflict.now !== mine.get(cellKey(conflict))));
    this.#cells = this.#cells.filter((cell) => !lost.has(cellKey(cell)));
  }
}

const noChange: Verdict = { change: 0, cells: 0, rows: 0, added: 0, deleted: 0, valid: 0, invalid: 0, samples: [] };

function cellKey({ id, key, part = 0 }: { id: string; key: string; part?: number }): string {
  return `${id} ${key} ${part}`;
}
