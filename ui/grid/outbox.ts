import { toSourceFault } from './block-cache';
import type { Batch, RowSource, SourceFault, Verdict } from './row-source';

export type Saving = 'saved' | 'saving' | 'waiting';

interface Change {
  readonly kind: 'apply';
  readonly batch: Batch;
  /** Row versions as the user saw them, updated after earlier changes in this outbox. */
  readonly versions: Map<string, number>;
  readonly places: ReadonlyMap<string, number>;
}

interface Step {
  readonly kind: 'undo' | 'redo';
  readonly id: string;
}

/** An operation of the host on the rows. It runs in order with the changes. */
interface Task {
  readonly kind: 'act';
  readonly id: string;
  readonly work: (id: string) => Promise<Verdict>;
}

/** The kind of change that a verdict belongs to. */
export type ChangeKind = (Change | Step | Task)['kind'];

export interface OutboxEvents {
  done(verdict: Verdict, kind: ChangeKind, batch?: Batch): void;
  refused(fault: SourceFault): void;
  saving(state: Saving, pending: number): void;
}

const firstWait = 1000;
const longestWait = 15_000;

/**
 * Sends changes to the source one at a time, in order. If a change gets no response, the
 * outbox sends it again under the same ID. Until the verdict arrives, cells already show
 * the new text.
 */
export class Outbox {
  #queue: (Change | Step | Task)[] = [];
  #running = false;
  #wake: (() => void) | null = null;
  #closed = false;
  readonly #source: RowSource;
  readonly #events: OutboxEvents;

  constructor(source: RowSource, events: OutboxEvents) {
    this.#source = source;
    this.#events = events;
  }

  get pending(): number {
    return this.#queue.length;
  }

  /** The unsaved cell changes. */
  get batches(): readonly Batch[] {
    return this.#queue.flatMap((change) => (change.kind === 'apply' ? [change.batch] : []));
  }

  apply(batch: Batch): void {
    const places = new Map(batch.area.columns.map((key, place) => [key, place]));
    this.#push({ kind: 'apply', batch, places, versions: new Map(Object.entries(batch.versions)) });
  }

  undoOrRedo(kind: 'undo' | 'redo'): void {
    this.#push({ kind, id: newId() });
  }

  /**
   * Runs an operation in its turn. If it fails with "lost", the outbox calls it again with
   * the same ID.
   */
  enqueue(work: (id: string) => Promise<Verdict>): void {
    this.#push({ kind: 'act', id: newId(), work });
  }

  /**
   * Returns the unsaved text of a cell, or undefined if there is none. A row index is valid
   * only in one view, so the IDs of loaded rows must match, too.
   */
  pendingText(row: number, column: string, id: string, revision: string): string | undefined {
    for (let at = this.#queue.length - 1; at >= 0; at--) {
      const change = this.#queue[at]!;
      if (change.kind !== 'apply') continue;
      const { area, texts } = change.batch;
      const place = change.places.get(column);
      if (place === undefined || row < area.fromRow || row >= area.toRow) continue;
      const known = change.batch.seen.get(row);
      if (known ? known.id !== id : change.batch.revision !== revision) continue;
      const line = texts[(row - area.fromRow) % texts.length]!;
      return line[place % line.length];
    }
    return undefined;
  }

  /** Retries now instead of waiting. */
  retry(): void {
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  #push(change: Change | Step | Task): void {
    this.#queue.push(change);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    let wait = firstWait;
    while (this.#queue.length > 0 && !this.#closed) {
      this.#events.saving(wait > firstWait ? 'waiting' : 'saving', this.#queue.length);
      const change = this.#queue[0]!;
      try {
        const verdict = await this.#send(change);
        if (this.#closed) break;
        this.#queue.shift();
        this.#bumpVersions(change, verdict);
        this.#events.done(verdict, change.kind, change.kind === 'apply' ? change.batch : undefined);
        wait = firstWait;
      } catch (cause) {
        wait = await this.#retryDelay(toSourceFault(cause), wait);
      }
    }
    this.#running = false;
    if (!this.#closed) this.#events.saving('saved', 0);
  }

  #send(change: Change | Step | Task): Promise<Verdict> {
    if (change.kind === 'apply') {
      return this.#source.apply({ ...change.batch, versions: Object.fromEntries(change.versions) });
    }
    if (change.kind === 'act') return change.work(change.id);
    return change.kind === 'undo' ? this.#source.undo(change.id) : this.#source.redo(change.id);
  }

  /**
   * Updates the row versions of queued changes, which would otherwise conflict with an
   * earlier change by the same user. If the earlier change itself was in conflict with a
   * change by somebody else, the queued change must be, too.
   */
  #bumpVersions(done: Change | Step | Task, verdict: Verdict): void {
    const lost = new Set(verdict.conflicts.map((conflict) => conflict.rowId));
    for (const row of verdict.rows) {
      if (lost.has(row.id)) continue;
      const before = done.kind === 'apply' ? done.versions.get(row.id) : undefined;
      for (const change of this.#queue) {
        if (change.kind !== 'apply') continue;
        const seen = change.versions.get(row.id);
        if (seen !== undefined && (before === undefined || seen === before)) change.versions.set(row.id, row.version);
      }
    }
  }

  /** Handles a failure and returns the delay before the next attempt, in milliseconds. */
  async #retryDelay(cause: SourceFault, wait: number): Promise<number> {
    if (this.#closed) return wait;
    if (cause.kind === 'failed') {
      this.#queue.shift();
      this.#events.refused(cause);
      return firstWait;
    }
    this.#events.saving('waiting', this.#queue.length);
    await new Promise<void>((wake) => {
      const timer = setTimeout(wake, wait);
      this.#wake = () => {
        clearTimeout(timer);
        wake();
      };
    });
    this.#wake = null;
    return Math.min(longestWait, wait * 2);
  }
}

/** Returns a random ID. Over plain HTTP, crypto.randomUUID is available only on loopback. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
