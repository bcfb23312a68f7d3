import type { Problem, Row, Spot } from '../../grid';
import type { Place } from './columns';

const maxChanges = 1000;

interface ChangeLocation {
  readonly view: string;
  readonly spot: Spot | null;
  readonly cells: number;
}

/** Finds problems within rows, and remembers where this page made changes. */
export class Locations {
  readonly #keys: readonly string[];
  /** Whether notes count as problems. */
  notes = false;
  readonly #changes = new Map<number, ChangeLocation>();

  constructor(places: readonly Place[]) {
    this.#keys = places.map((place) => place.column.key);
  }

  /** The first column. */
  get first(): string {
    return this.#keys[0] ?? '';
  }

  /** Returns the next column with a problem in the same row, or undefined. */
  nextInRow(row: Row, column: string, step: 1 | -1): string | undefined {
    const bad = this.#bad(row);
    const at = this.#keys.indexOf(column);
    return step > 0 ? bad.find((key) => this.#keys.indexOf(key) > at) : bad.findLast((key) => this.#keys.indexOf(key) < at);
  }

  /** Returns the first or last column with a problem in a row, or undefined. */
  edgeOfRow(row: Row, step: 1 | -1): string | undefined {
    return step > 0 ? this.#bad(row)[0] : this.#bad(row).at(-1);
  }

  remember(change: number, view: string, spot: Spot | null, cells: number): void {
    if (this.#changes.size >= maxChanges) this.#changes.clear();
    this.#changes.set(change, { view, spot, cells });
  }

  changedAt(change: number, view: string): Spot | undefined {
    const noted = this.#changes.get(change);
    return noted?.view === view ? (noted.spot ?? undefined) : undefined;
  }

  /** Returns the number of cells that a change affected; 0 if unknown. */
  changedCells(change: number): number {
    return this.#changes.get(change)?.cells ?? 0;
  }

  #bad(row: Row): string[] {
    return this.#keys.filter((_, at) => row.cells[at]?.problems.some(this.#counts));
  }

  /** Returns a predicate that selects the problems to visit. */
  get #counts(): (problem: Problem) => boolean {
    return (problem) => this.notes || problem.level !== 'info';
  }
}
