import { Prefetch, consumeUrlToken } from './prefetch';

/** URL of start.ts, defined by the build. */
declare const startModule: string;

declare global {
  /** The prefetch, and a promise that resolves when the first response has arrived. */
  var intrayPrefetch: { readonly prefetch: Prefetch; readonly started: Promise<void> };
}

// The first script of the page. It is not a module, because modules wait for each other and
// for the first paint. It is small and sends the slowest requests, which are those for the
// session and the rows.
const prefetch = new Prefetch(decodeURIComponent(location.pathname.split('/')[2] ?? ''), consumeUrlToken());
globalThis.intrayPrefetch = { prefetch, started: prefetch.start() };
// If the HTML loaded the module, it would only run after the first paint.
void import(/* @vite-ignore */ startModule);
