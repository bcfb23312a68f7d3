import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button, Icon } from '../kit';
import { useShared } from './context';

/** Code that is loaded on demand, at most once. A failed load can be repeated. */
export class OnDemand<T> {
  now: T | null = null;
  #loading: Promise<T> | null = null;
  readonly #load: () => Promise<T>;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  load(): Promise<T> {
    this.#loading ??= this.#load().then(
      (module) => (this.now = module),
      (error) => {
        this.#loading = null;
        throw error;
      },
    );
    return this.#loading;
  }
}

/** Returns the code once it is loaded, or a message with a button if loading failed. */
export function useOnDemand<T>(of: OnDemand<T>): { readonly module: T | null; readonly failure: ComponentChildren } {
  const { t } = useShared();
  const [failed, setFailed] = useState(false);
  const [, setLoaded] = useState(of.now !== null);
  const load = () => {
    setFailed(false);
    of.load().then(() => setLoaded(true), () => setFailed(true));
  };
  useEffect(load, []);
  const failure = failed && (
    <main class="state">
      <div class="state-main">
        <div class="state-sign"><Icon name="offline" size={28} /></div>
        <h1>{t('load.failed')}</h1>
        <Button onClick={load}>{t('tryAgain')}</Button>
      </div>
    </main>
  );
  return { module: of.now, failure: failure || null };
}
