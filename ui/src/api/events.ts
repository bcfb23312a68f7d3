/** The state of an import, sent when it changes. */
export interface StateEvent {
  readonly status: Status;
  /** Increases each time the file is read. */
  readonly run: number;
  /** Number of the last change, by anyone. */
  readonly change: number;
  readonly totals: { readonly rows: number; readonly errors: number; readonly warnings: number; readonly infos: number } | null;
}

/** The progress of a running change. */
export interface ProgressEvent {
  readonly op: string;
  readonly kind: string;
  readonly done: number;
  readonly total: number;
}

export type Status = 'AWAITING_UPLOAD' | 'PENDING' | 'RUNNING' | 'SUCCESSFUL' | 'FAILED' | 'NEEDS_REVIEW';

interface EventHandlers {
  readonly state?: (event: StateEvent) => void;
  readonly progress?: (event: ProgressEvent) => void;
  /** Called when the connection is lost or restored. */
  readonly connected?: (is: boolean) => void;
}

/** Opens a connection to an event stream. */
export type Connect = (address: string) => Pick<EventSource, 'readyState' | 'close'> & {
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
};

/** The event stream of an import. All listeners share one connection. */
export class Events {
  readonly #address: string;
  readonly #connect: Connect;
  readonly #listeners = new Set<EventHandlers>();
  #source: ReturnType<Connect> | null = null;
  #again: ReturnType<typeof setTimeout> | undefined;
  #last: StateEvent | null = null;
  #failures = 0;

  /** `connect` opens a connection to the stream. */
  constructor(address: string, connect: Connect = (to) => new EventSource(to)) {
    this.#address = address;
    this.#connect = connect;
  }

  /** The last state received; null until one arrives. */
  get last(): StateEvent | null {
    return this.#last;
  }

  /** Adds a listener for future events. Returns a function that removes it. */
  listen(listener: EventHandlers): () => void {
    this.#listeners.add(listener);
    if (!this.#source && this.#again === undefined) this.#open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#close();
    };
  }

  #open(): void {
    this.#again = undefined;
    const source = this.#connect(this.#address);
    this.#source = source;
    source.addEventListener('state', (event: MessageEvent<string>) => {
      this.#last = JSON.parse(event.data);
      this.#emit((each) => each.state?.(this.#last!));
    });
    source.addEventListener('progress', (event: MessageEvent<string>) => {
      const progress: ProgressEvent = JSON.parse(event.data);
      this.#emit((each) => each.progress?.(progress));
    });
    source.addEventListener('open', () => {
      this.#failures = 0;
      this.#emit((each) => each.connected?.(true));
    });
    source.addEventListener('error', () => {
      this.#emit((each) => each.connected?.(false));
      // Browsers do not reconnect after an error response.
      if (source.readyState === EventSource.CLOSED && this.#source === source) this.#retry();
    });
  }

  #retry(): void {
    this.#source = null;
    const wait = Math.min(30_000, 2000 * 2 ** this.#failures++);
    this.#again = setTimeout(() => this.#open(), wait);
  }

  #emit(notify: (listener: EventHandlers) => void): void {
    for (const listener of [...this.#listeners]) notify(listener);
  }

  #close(): void {
    clearTimeout(this.#again);
    this.#again = undefined;
    this.#source?.close();
    this.#source = null;
  }
}
