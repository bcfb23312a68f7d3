/** An import that was sent from this browser through a link. */
export interface EarlierImport {
  readonly id: string;
  /** Opens the review of the import. */
  readonly token: string;
  readonly name: string;
  /** When the file was sent, in milliseconds since 1970. */
  readonly at: number;
}

/** Maximum number of imports that a browser remembers for one link. */
const most = 20;

/**
 * Remembers the imports that were sent through a link, so that the sender finds them again under
 * the same link. A browser may refuse storage; then nothing is remembered.
 */
export class EarlierImports {
  readonly #key: string;
  readonly #currentKey: string;

  constructor(linkId: string) {
    this.#key = `intray.link.${linkId}`;
    this.#currentKey = `intray.current.${linkId}`;
  }

  /** Returns the imports, newest first. */
  list(): readonly EarlierImport[] {
    const stored: unknown = attempt(() => JSON.parse(localStorage.getItem(this.#key) ?? '[]'));
    return Array.isArray(stored) ? stored.filter(isImport) : [];
  }

  add(one: EarlierImport): void {
    this.#save([one, ...this.list().filter((other) => other.id !== one.id)].slice(0, most));
  }

  remove(id: string): void {
    this.#save(this.list().filter((one) => one.id !== id));
    if (this.current()?.id === id) this.setCurrent(null);
  }

  /** Returns the import that this tab shows, so that a reload shows it again. */
  current(): EarlierImport | null {
    const id = attempt(() => sessionStorage.getItem(this.#currentKey));
    return this.list().find((one) => one.id === id) ?? null;
  }

  setCurrent(id: string | null): void {
    attempt(() => (id === null ? sessionStorage.removeItem(this.#currentKey) : sessionStorage.setItem(this.#currentKey, id)));
  }

  #save(list: readonly EarlierImport[]): void {
    attempt(() => localStorage.setItem(this.#key, JSON.stringify(list)));
  }
}

function isImport(one: unknown): one is EarlierImport {
  const { id, token, name, at } = (one ?? {}) as Record<string, unknown>;
  return typeof id === 'string' && typeof token === 'string' && typeof name === 'string' && typeof at === 'number';
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
