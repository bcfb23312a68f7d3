import { Fault, type Clash, type Verdict } from '../api';
import type { Desk } from './desk';
import type { Named } from './plan';

/** So often others may come in between before a change is given up. */
const mostTries = 8;

/**
 * One change on its way. It remembers how far it has come: the same change comes
 * again where an answer was lost, and must then go on and not begin anew.
 */
export class Attempt {
  readonly clashes: Clash[] = [];
  verdict: Verdict | null = null;
  readonly #op: string;
  #cells: readonly Named[];
  #tries = 0;

  constructor(op: string, cells: readonly Named[]) {
    this.#op = op;
    this.#cells = cells;
  }

  /** Sends the cells; those that somebody else changed first are left out, and the others sent by themselves. */
  async send(desk: Desk): Promise<Verdict> {
    while (!this.verdict) {
      if (this.#cells.length === 0) return (this.verdict = nothing);
      try {
        this.verdict = await desk.edit({ op: this.#name, kind: 'set', cells: [...this.#cells] });
      } catch (cause) {
        this.#lose(cause);
      }
    }
    return this.verdict;
  }

  /** A change with other cells is another change, and has a name of its own. */
  get #name(): string {
    return this.#tries === 0 ? this.#op : `${this.#op}.${this.#tries}`;
  }

  #lose(cause: unknown): void {
    const raced = cause instanceof Fault && cause.code === 'changed_by_others' && cause.cells.length > 0;
    if (!raced || this.#tries >= mostTries) throw cause;
    this.#tries++;
    const lost = new Set(cause.cells.map(nameOf));
    const mine = new Map(this.#cells.map((cell) => [nameOf(cell), cell.text]));
    // Two people who write the same do not disagree.
    this.clashes.push(...cause.cells.filter((clash) => clash.deleted || clash.now !== mine.get(nameOf(clash))));
    this.#cells = this.#cells.filter((cell) => !lost.has(nameOf(cell)));
  }
}

const nothing: Verdict = { change: 0, cells: 0, rows: 0, added: 0, deleted: 0, valid: 0, invalid: 0, samples: [] };

function nameOf({ id, key, part = 0 }: { id: string; key: string; part?: number }): string {
  return `${id} ${key} ${part}`;
}
