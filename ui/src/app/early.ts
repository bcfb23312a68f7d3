import { Ahead, takeToken } from './ahead';

declare global {
  /** The first calls of the page, and when they are out. */
  var intrayAhead: { readonly ahead: Ahead; readonly begun: Promise<void> };
}

// The first script of the page: no module, as those wait for each other and for the
// first picture. It is small, and asks for what takes longest: the session and the rows.
const ahead = new Ahead(decodeURIComponent(location.pathname.split('/')[2] ?? ''), takeToken());
globalThis.intrayAhead = { ahead, begun: ahead.begin() };
