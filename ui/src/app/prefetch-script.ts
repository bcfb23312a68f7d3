import { Prefetch, consumeUrlToken } from './prefetch';

/** The address of start.ts, which the build knows. */
declare const startModule: string;

declare global {
  /** The first calls of the page, and when they are out. */
  var intrayPrefetch: { readonly prefetch: Prefetch; readonly started: Promise<void> };
}

// The first script of the page: no module, as those wait for each other and for the
// first picture. It is small, and asks for what takes longest: the session and the rows.
const prefetch = new Prefetch(decodeURIComponent(location.pathname.split('/')[2] ?? ''), consumeUrlToken());
globalThis.intrayPrefetch = { prefetch, started: prefetch.start() };
// A module that is named in the page would wait until that was drawn.
void import(/* @vite-ignore */ startModule);
