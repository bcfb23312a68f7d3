/** The state of an import, sent whenever it changes. */
export interface StateEvent {
  readonly status: Status;
  /** Grows with each reading of the file. */
  readonly run: number;
  /** The number of the last change, also those of others. */
  readonly change: number;
  readonly totals: { readonly rows: number; readonly errors: number; readonly warnings: number; readonly infos: number } | null;
}

/** How far a change is that is being made. */
export interface ProgressEvent {
  readonly op: string;
  readonly kind: string;
  readonly done: number;
  readonly total: number;
}

export type Status = 'AWAITING_UPLOAD' | 'PENDING' | 'RUNNING' | 'SUCCESSFUL' | 'FAILED' | 'NEEDS_REVIEW';

interface Heard {
  readonly state?: (event: StateEvent) => void;
  readonly progress?: (event: ProgressEvent) => void;
  /** The connection went, or came back. */
  readonly connected?: (is: boolean) => void;
}

/** The news of an import: one connection, however many listen. */
export class Events {
  readonly #address: string;
  readonly #listeners = new Set<Heard>();
  #source: EventSource | null = null;
  #again: ReturnType<typeof setTimeout> | undefined;
  #last: StateEvent | null = null;
  #failures = 0;

  constructor(address: string) {
    this.#address = address;
  }

  /** The last state received; null before the first. */
  get last(): StateEvent | null {
    return this.#last;
  }

  /** Tells the listener of everything from now on. What is given back ends that. */
  listen(listener: Heard): () => void {
    this.#listeners.add(listener);
    if (!this.#source && this.#again === undefined) this.#open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#close();
    };
  }

  #open(): void {
    this.#again = undefined;
    const source = new EventSource(this.#address);
    this.#source = source;
    source.addEventListener('state', (event) => {
      this.#last = JSON.parse(event.data);
      this.#emit((each) => each.state?.(this.#last!));
    });
    source.addEventListener('progress', (event) => {
      const progress: ProgressEvent = JSON.parse(event.data);
      this.#emit((each) => each.progress?.(progress));
    });
    source.addEventListener('open', () => {
      this.#failures = 0;
      this.#emit((each) => each.connected?.(true));
    });
    source.addEventListener('error', () => {
      this.#emit((each) => each.connected?.(false));
      // A browser gives up for good where the answer was an error.
      if (source.readyState === EventSource.CLOSED && this.#source === source) this.#retry();
    });
  }

  #retry(): void {
    this.#source = null;
    const wait = Math.min(30_000, 2000 * 2 ** this.#failures++);
    this.#again = setTimeout(() => this.#open(), wait);
  }

  #emit(say: (listener: Heard) => void): void {
    for (const listener of [...this.#listeners]) say(listener);
  }

  #close(): void {
    clearTimeout(this.#again);
    this.#again = undefined;
    this.#source?.close();
    this.#source = null;
  }
}
