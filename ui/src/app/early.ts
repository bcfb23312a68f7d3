import { Ahead, takeToken } from './ahead';

/** The address of start.ts, which the build knows. */
declare const startModule: string;

declare global {
  /** The first calls of the page, and when they are out. */
  var intrayAhead: { readonly ahead: Ahead; readonly begun: Promise<void> };
}

// The first script of the page: no module, as those wait for each other and for the
// first picture. It is small, and asks for what takes longest: the session and the rows.
const ahead = new Ahead(decodeURIComponent(location.pathname.split('/')[2] ?? ''), takeToken());
globalThis.intrayAhead = { ahead, begun: ahead.begin() };
// A module that is named in the page would wait until that was drawn.
void import(/* @vite-ignore */ startModule);
