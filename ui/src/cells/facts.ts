import type { Counts, Table } from '../api';
import type { Desk } from './desk';

export interface Known {
  readonly totals: Table['totals'];
  readonly undo: number;
  readonly redo: number;
  readonly counts: Counts;
  /** Whether nothing changed here since it was asked. */
  readonly fresh: boolean;
}

const patience = 120;

/** What is counted over all rows, asked for again after changes: once for several that come together. */
export class Facts {
  readonly #desk: Desk;
  readonly #told: (known: Known) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #again = false;
  #closed = false;
  #stirs = 0;

  constructor(desk: Desk, told: (known: Known) => void) {
    this.#desk = desk;
    this.#told = told;
  }

  /** Something changed. */
  stir(): void {
    this.#stirs++;
    this.#timer ??= setTimeout(() => void this.#ask(), patience);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    this.#timer = undefined;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = true;
    const stirs = this.#stirs;
    try {
      const [table, counts] = await Promise.all([this.#desk.table(), this.#desk.counts()]);
      if (!this.#closed) this.#told({ totals: table.totals, undo: table.undo, redo: table.redo, counts, fresh: stirs === this.#stirs });
    } catch {
      // The next change asks again; whatever is wrong, the rows tell of it.
    }
    this.#running = false;
    if (this.#again && !this.#closed) this.stir();
    this.#again = false;
  }
}
