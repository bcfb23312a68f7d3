import { SourceFault, type Row, type RowSource, type RowWindow } from './row-source';

export const blockSize = 200;
const maxBlocks = 60;
const maxRequests = 4;
const blocksAhead = 2;

interface Block {
  rows: readonly Row[];
  /** Set while a request for the block is in progress. */
  asked: AbortController | null;
  /** Whether the rows may be out of date. They stay on screen until newer rows arrive. */
  stale: boolean;
  /** Whether the last request failed. The block is not requested again until retry is called. */
  failed: boolean;
  used: number;
}

export interface BlockCacheEvents {
  loaded(window: RowWindow): void;
  failed(fault: SourceFault): void;
}

/** A cache of row blocks from RowSource.rows, limited in size. */
export class BlockCache {
  total = 0;
  revision = '';
  #blocks = new Map<number, Block>();
  #clock = 0;
  #wanted: number[] = [];
  #paused = false;
  readonly #source: RowSource;
  readonly #events: BlockCacheEvents;

  constructor(source: RowSource, events: BlockCacheEvents) {
    this.#source = source;
    this.#events = events;
  }

  /**
   * Stores the first rows of the view, at most one block. Requests no other rows until
   * resume is called.
   */
  preload({ rows, total, revision }: RowWindow): void {
    const first = rows.slice(0, blockSize);
    this.total = total;
    this.revision = revision;
    this.#paused = true;
    this.#blocks.set(0, { rows: first, asked: null, stale: first.length < Math.min(blockSize, total), failed: false, used: ++this.#clock });
  }

  /** Requests the missing blocks now. */
  resume(): void {
    this.#paused = false;
    this.#requestMissing();
  }

  row(index: number): Row | undefined {
    return this.#blocks.get(Math.floor(index / blockSize))?.rows[index % blockSize];
  }

  /** Sets the visible rows and the scroll direction, and requests the missing blocks. */
  setVisible(first: number, last: number, direction: number): void {
    const from = Math.floor(Math.max(0, first) / blockSize);
    const to = Math.floor(Math.max(0, last) / blockSize);
    const wanted: number[] = [];
    for (let block = from; block <= to; block++) wanted.push(block);
    for (let more = 1; more <= blocksAhead; more++) wanted.push(direction < 0 ? from - more : to + more);
    this.#wanted = wanted.filter((block) => block >= 0 && (block === 0 || block * blockSize < this.total));
    this.#abortOthers();
    this.#requestMissing();
  }

  /**
   * Marks all blocks as stale. Visible blocks are requested again and stay on screen in the
   * meantime.
   */
  refresh(): void {
    this.#abortAll();
    for (const block of this.#blocks.values()) {
      block.stale = true;
      block.failed = false;
    }
    this.#requestMissing();
  }

  /** Requests failed blocks again. */
  retry(): void {
    for (const block of this.#blocks.values()) block.failed = false;
    this.#requestMissing();
  }

  /** Restarts the requests in progress, because they may have read the rows before a change. */
  restart(): void {
    this.#abortAll();
    this.#requestMissing();
  }

  /** Replaces loaded rows with newer versions. */
  replace(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    const newer = new Map(rows.map((row) => [row.id, row]));
    for (const block of this.#blocks.values()) {
      if (block.rows.some((row) => newer.has(row.id))) block.rows = block.rows.map((row) => newer.get(row.id) ?? row);
    }
  }

  /** Yields the loaded rows of a range, each with its index. */
  *loaded(from: number, to: number): Generator<[number, Row]> {
    for (const [number, block] of this.#blocks) {
      const start = number * blockSize;
      const end = Math.min(to, start + block.rows.length);
      for (let index = Math.max(from, start); index < end; index++) yield [index, block.rows[index - start]!];
    }
  }

  /** Drops all rows, in preparation for a view with this many rows. */
  clear(total: number): void {
    this.#abortAll();
    this.#blocks.clear();
    this.total = total;
  }

  close(): void {
    this.clear(this.total);
    this.#wanted = [];
  }

  #abortAll(): void {
    for (const block of this.#blocks.values()) {
      block.asked?.abort();
      block.asked = null;
    }
  }

  #abortOthers(): void {
    for (const [number, block] of this.#blocks) {
      if (!block.asked || this.#wanted.includes(number)) continue;
      block.asked.abort();
      block.asked = null;
      if (block.rows.length === 0) this.#blocks.delete(number);
    }
  }

  #requestMissing(): void {
    if (this.#paused) return;
    let asked = 0;
    for (const block of this.#blocks.values()) if (block.asked) asked++;
    for (const number of this.#wanted) {
      const block = this.#entry(number);
      const needed = !block.asked && !block.failed && (block.stale || block.rows.length === 0);
      if (needed && asked++ < maxRequests) void this.#load(number, block);
    }
    this.#evict();
  }

  #entry(number: number): Block {
    let block = this.#blocks.get(number);
    if (!block) {
      block = { rows: [], asked: null, stale: false, failed: false, used: 0 };
      this.#blocks.set(number, block);
    }
    block.used = ++this.#clock;
    return block;
  }

  async #load(number: number, block: Block): Promise<void> {
    const asked = new AbortController();
    block.asked = asked;
    try {
      const from = number * blockSize;
      const window = await this.#source.rows(from, from + blockSize, asked.signal);
      if (asked.signal.aborted) return;
      block.asked = null;
      block.rows = window.rows;
      block.stale = false;
      this.total = window.total;
      this.revision = window.revision;
      this.#events.loaded(window);
    } catch (cause) {
      if (asked.signal.aborted) return;
      block.asked = null;
      block.failed = true;
      this.#events.failed(toSourceFault(cause));
    }
    this.#requestMissing();
  }

  #evict(): void {
    if (this.#blocks.size <= maxBlocks) return;
    const oldest = [...this.#blocks].sort((a, b) => a[1].used - b[1].used);
    for (const [number, block] of oldest.slice(0, this.#blocks.size - maxBlocks)) {
      block.asked?.abort();
      this.#blocks.delete(number);
    }
  }
}

/** Converts any thrown value to a SourceFault. */
export function toSourceFault(cause: unknown): SourceFault {
  if (cause instanceof SourceFault) return cause;
  return new SourceFault('failed', cause instanceof Error ? cause.message : String(cause));
}
