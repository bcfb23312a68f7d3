import type { Counts, Table } from '../api';
import type { TableApi } from './table-api';

export interface TableCounts {
  readonly totals: Table['totals'];
  readonly undo: number;
  readonly redo: number;
  readonly counts: Counts;
  /** Whether nothing has changed on this page since the request was sent. */
  readonly fresh: boolean;
}

const delay = 120;

/**
 * Refreshes the counts of all rows after changes. Several changes in quick succession cause
 * one refresh.
 */
export class CountsRefresher {
  readonly #tableApi: TableApi;
  readonly #onUpdate: (known: TableCounts) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #again = false;
  #closed = false;
  #changes = 0;

  constructor(tableApi: TableApi, onUpdate: (known: TableCounts) => void) {
    this.#tableApi = tableApi;
    this.#onUpdate = onUpdate;
  }

  /** Schedules a refresh after a change. */
  schedule(): void {
    this.#changes++;
    this.#timer ??= setTimeout(() => void this.#refresh(), delay);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #refresh(): Promise<void> {
    this.#timer = undefined;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = true;
    const changes = this.#changes;
    try {
      const [table, counts] = await Promise.all([this.#tableApi.table(), this.#tableApi.counts()]);
      if (!this.#closed) this.#onUpdate({ totals: table.totals, undo: table.undo, redo: table.redo, counts, fresh: changes === this.#changes });
    } catch {
      // The next change triggers a new refresh. If the server is unavailable, loading rows
      // reports it.
    }
    this.#running = false;
    if (this.#again && !this.#closed) this.schedule();
    this.#again = false;
  }
}
