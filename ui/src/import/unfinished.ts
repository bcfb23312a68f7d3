import type { StartedImport } from './api';
import type { UploadOptions, UploadProgress } from './upload';

/** An upload that was interrupted, for example by a reload of the page. */
export interface Unfinished {
  readonly started: StartedImport;
  /** URL at which the upload continues. */
  readonly address: string;
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
  /** Number of bytes that were sent. */
  readonly sent: number;
  /** When the upload began, in milliseconds since 1970. */
  readonly at: number;
}

/** How long the server keeps an unfinished upload, in milliseconds. */
const lifetime = 24 * 3600 * 1000;

/**
 * Remembers the upload through a link in the browser, so that it can continue after a reload. A
 * browser may refuse storage; then nothing is remembered.
 */
export class UnfinishedUploads {
  readonly #key: string;
  #saved = 0;
  #release = () => {};

  constructor(linkId: string) {
    this.#key = `intray.unfinished.${linkId}`;
  }

  /** Returns the interrupted upload, or null if there is none or another tab is sending it. */
  async load(): Promise<Unfinished | null> {
    const stored = this.#read();
    if (!stored) return null;
    const free = await this.#lock((lock) => lock !== null);
    return free === false ? null : stored;
  }

  /** Returns options for an upload that remember it. `before` is the upload that it continues. */
  options(started: StartedImport, file: File, before: Unfinished | null): UploadOptions {
    void this.#lock(() => new Promise<void>((resolve) => (this.#release = resolve)));
    return {
      ...(before && { resume: before.address }),
      onBegun: (address) => this.#write({ started, address, name: file.name, size: file.size, lastModified: file.lastModified, sent: 0, at: Date.now() }),
    };
  }

  /** Remembers how much was sent, at most once a second while the connection is intact. */
  update({ sent, lost }: UploadProgress): void {
    const stored = lost || Date.now() - this.#saved > 1000 ? this.#read() : null;
    if (stored) this.#write({ ...stored, sent });
  }

  /** Forgets the upload, because it is complete or the person does not want to continue it. */
  forget(): void {
    this.#release();
    attempt(() => localStorage.removeItem(this.#key));
  }

  /** Holds the lock of the tab that sends the file until `work` is done. The lock is null if another tab holds it. */
  async #lock<T>(work: (lock: Lock | null) => T): Promise<Awaited<T> | undefined> {
    try {
      return await globalThis.navigator?.locks?.request(this.#key, { ifAvailable: true }, work); // only in secure contexts
    } catch {
      return undefined; // as with storage, the browser may refuse
    }
  }

  #read(): Unfinished | null {
    const stored = attempt(() => JSON.parse(localStorage.getItem(this.#key) ?? 'null') as unknown);
    return isUnfinished(stored) && Date.now() - stored.at < lifetime ? stored : null;
  }

  #write(one: Unfinished): void {
    this.#saved = Date.now();
    attempt(() => localStorage.setItem(this.#key, JSON.stringify(one)));
  }
}

/** Reports whether a file is the one that an upload was sending. */
export function isSameFile(file: File, one: Unfinished): boolean {
  return file.name === one.name && file.size === one.size && file.lastModified === one.lastModified;
}

function isUnfinished(one: unknown): one is Unfinished {
  const { started, address, name, size, lastModified, sent, at } = (one ?? {}) as Record<string, unknown>;
  const { id, upload, reviewToken } = (started ?? {}) as Record<string, unknown>;
  return [id, upload, reviewToken, address, name].every((text) => typeof text === 'string') && [size, lastModified, sent, at].every((number) => typeof number === 'number');
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
