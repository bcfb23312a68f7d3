import { useEffect, useState } from 'preact/hooks';

/** A value that notifies its watchers of changes. */
export class Store<T extends object> {
  #now: T;
  readonly #watchers = new Set<() => void>();

  constructor(first: T) {
    this.#now = first;
  }

  get now(): T {
    return this.#now;
  }

  set(part: Partial<T>): void {
    this.#now = { ...this.#now, ...part };
    for (const watcher of [...this.#watchers]) watcher();
  }

  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** Returns the chosen part of a store, and renders the component again when that part changes. */
export function useStore<T extends object, Part>(store: Store<T>, choose: (now: T) => Part): Part {
  const [part, setPart] = useState(() => choose(store.now));
  useEffect(() => {
    const look = () => setPart(() => choose(store.now));
    look();
    return store.watch(look);
  }, [store]);
  return part;
}
