import { SourceFault, type Batch, type Cell, type Column, type Conflict, type Row, type RowSource, type RowWindow, type Spot, type Verdict } from '../grid';
import { textOf } from './generate';
import { problemsOf } from './rules';

export interface Behavior {
  rows: number;
  /** Response delay in milliseconds. */
  latency: number;
  /** The outcome of every call. */
  outcome: 'fine' | 'lost' | 'failed' | 'never';
  /** Index of the row whose next change conflicts; -1 for none. */
  conflictAt: number;
}

interface Change {
  readonly batch: Batch;
  readonly places: ReadonlyMap<string, number>;
  undone: boolean;
}

/** A source of generated rows. Changes apply to them in order, and undo reverts the last change. */
export class DemoSource implements RowSource {
  readonly behavior: Behavior;
  /** Counts and records all calls, for tests. */
  readonly calls = { rows: 0, aborted: 0, apply: [] as Batch[], undo: 0, redo: 0 };
  readonly #columns: readonly Column[];
  readonly #verdicts = new Map<string, Verdict>();
  #changes: Change[] = [];

  constructor(columns: readonly Column[], behavior: Partial<Behavior> = {}) {
    this.#columns = columns;
    this.behavior = { rows: 1000, latency: 8, outcome: 'fine', conflictAt: -1, ...behavior };
  }

  async rows(from: number, to: number, signal: AbortSignal): Promise<RowWindow> {
    this.calls.rows++;
    signal.addEventListener('abort', () => this.calls.aborted++);
    await this.#answer(signal);
    const total = this.behavior.rows;
    const count = Math.max(0, Math.min(to, total) - from);
    return { total, revision: 'demo', rows: Array.from({ length: count }, (_, n) => this.row(from + n)) };
  }

  async apply(batch: Batch): Promise<Verdict> {
    this.calls.apply.push(batch);
    await this.#answer();
    return this.#once(batch.id, () => this.#apply(batch));
  }

  async undo(id: string): Promise<Verdict> {
    this.calls.undo++;
    await this.#answer();
    return this.#once(id, () => this.#undoOrRedo(this.#changes.findLast((change) => !change.undone), true));
  }

  async redo(id: string): Promise<Verdict> {
    this.calls.redo++;
    await this.#answer();
    return this.#once(id, () => this.#undoOrRedo(this.#changes.find((change) => change.undone), false));
  }

  async problem(from: Spot | null, step: 1 | -1, signal: AbortSignal): Promise<Spot | null> {
    await this.#answer(signal);
    const width = this.#columns.length;
    const start = from ? from.row * width + this.#columns.findIndex((column) => column.key === from.column) : step > 0 ? -1 : this.behavior.rows * width;
    for (let at = start + step; at >= 0 && at < this.behavior.rows * width; at += step) {
      const row = Math.floor(at / width);
      const column = this.#columns[at % width]!.key;
      if (problemsOf(column, this.text(row, column)).length > 0) return { row, column };
    }
    return null;
  }

  row(index: number): Row {
    const cells = this.#columns.map((column): Cell => this.#cell(index, column.key));
    return { id: `r${index}`, number: index + 1, version: this.#version(index), cells };
  }

  text(row: number, key: string): string {
    return this.#changed(row, key) ?? textOf(row, key);
  }

  #changed(row: number, key: string): string | undefined {
    for (let at = this.#changes.length - 1; at >= 0; at--) {
      const change = this.#changes[at]!;
      const place = change.places.get(key);
      const { area, texts } = change.batch;
      if (change.undone || place === undefined || row < area.fromRow || row >= area.toRow) continue;
      const line = texts[(row - area.fromRow) % texts.length]!;
      return line[place % line.length]!;
    }
    return undefined;
  }

  #cell(row: number, key: string): Cell {
    const original = textOf(row, key);
    const text = this.#changed(row, key) ?? original;
    const problems = problemsOf(key, text);
    return text === original ? { text, problems } : { text, problems, changed: true };
  }

  #version(row: number): number {
    return this.#changes.filter(({ batch }) => row >= batch.area.fromRow && row < batch.area.toRow).length;
  }

  #apply(batch: Batch): Verdict {
    const { area } = batch;
    if (this.behavior.conflictAt >= area.fromRow && this.behavior.conflictAt < area.toRow) return this.#lose(batch);
    this.#changes = this.#changes.filter((change) => !change.undone);
    this.#changes.push({ batch, places: new Map(area.columns.map((key, place) => [key, place])), undone: false });
    return { rows: this.#named(batch), cells: (area.toRow - area.fromRow) * area.columns.length, conflicts: [] };
  }

  /** Acts as if somebody else had changed the first column of the area. */
  #lose(batch: Batch): Verdict {
    const column = batch.area.columns[0]!;
    const at = this.behavior.conflictAt;
    this.behavior.conflictAt = -1;
    this.#apply({ ...batch, area: { fromRow: at, toRow: at + 1, columns: [column] }, texts: [['Someone else']] });
    const theirs = this.#cell(at, column);
    const conflict: Conflict = { rowId: `r${at}`, number: at + 1, column, mine: batch.texts[0]![0]!, theirs };
    return { rows: this.#named(batch), cells: 0, conflicts: [conflict] };
  }

  #undoOrRedo(change: Change | undefined, undone: boolean): Verdict {
    if (!change) return { rows: [], cells: 0, conflicts: [] };
    change.undone = undone;
    const { area } = change.batch;
    const cells = (area.toRow - area.fromRow) * area.columns.length;
    return { rows: this.#named(change.batch), cells, conflicts: [], spot: { row: area.fromRow, column: area.columns[0]! } };
  }

  #named(batch: Batch): Row[] {
    return Object.keys(batch.versions).map((id) => this.row(Number(id.slice(1))));
  }

  #once(id: string, act: () => Verdict): Verdict {
    const verdict = this.#verdicts.get(id) ?? act();
    this.#verdicts.set(id, verdict);
    return verdict;
  }

  #answer(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const { latency, outcome } = this.behavior;
      signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      if (outcome === 'never') return;
      setTimeout(() => {
        if (outcome === 'lost') reject(new SourceFault('lost', 'No response.'));
        else if (outcome === 'failed') reject(new SourceFault('failed', 'The import was deleted on 3 November 2026. Ask for a new link.'));
        else resolve();
      }, latency);
    });
  }
}
