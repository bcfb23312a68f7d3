import type { Import } from '../api/shapes';
import { firstRows } from '../cells/filter';

/** Maximum age of a prefetched response, in milliseconds. */
const freshFor = 10_000;

interface Asked {
  readonly at: number;
  readonly answer: Promise<Response>;
}

/**
 * Sends the first call of a review before the other scripts are loaded. The call opens the
 * session. If the page shows the table next, the response includes the table and its first
 * rows. The first matching call to `fetch` receives the prefetched response or error. All
 * other calls are sent normally.
 */
export class Prefetch {
  /** ID of the import, and the token from the link; "" if there is none. */
  readonly id: string;
  readonly token: string;
  readonly #base: string;
  readonly #send: typeof fetch;
  readonly #answers = new Map<string, Asked>();

  constructor(id: string, token: string, send: typeof fetch = fetch.bind(globalThis)) {
    this.id = id;
    this.token = token;
    this.#base = `/api/review/v1/${encodeURIComponent(id)}/`;
    this.#send = send;
  }

  /** Sends the call. */
  async start(): Promise<void> {
    const [method, call, authorization] = this.token ? ['POST', 'session/', `Bearer ${this.token}`] : ['GET', '', ''];
    const sent = this.#send(`${this.#base}${call}?rows=${firstRows}`, { method, cache: 'no-store', priority: 'high', ...(authorization && { headers: { authorization } }) });
    const opened = sent.then((answer) => this.#unpack(answer));
    this.#store(method!, call!, opened, authorization);
    await opened.catch(() => {}); // the call that uses the response handles the error
  }

  readonly fetch = (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const name = keyOf(request.method, pathname + search, request.headers.get('authorization') ?? '');
    const known = this.#answers.get(name);
    this.#answers.delete(name);
    if (known && performance.now() - known.at < freshFor) return known.answer;
    // After a change, the prefetched responses are out of date.
    if (request.method !== 'GET') this.#answers.clear();
    return this.#send(request);
  };

  /**
   * Stores the included table and rows before the response resolves. Otherwise, the code
   * that receives it would request them.
   */
  async #unpack(opened: Response): Promise<Response> {
    if (!opened.ok) return opened;
    const text = await opened.text();
    const { first, ...facts } = parseImport(text) ?? {};
    if (!first) return new Response(text, opened);
    this.#store('GET', 'table/', Promise.resolve(Response.json(first.table)));
    this.#store('GET', `rows/?show=all&from=0&count=${firstRows}`, Promise.resolve(Response.json(first.rows)));
    return Response.json(facts);
  }

  #store(method: string, call: string, answer: Promise<Response>, authorization = ''): void {
    this.#answers.set(keyOf(method, this.#base + call, authorization), { at: performance.now(), answer });
  }
}

/** Parses the import. Returns null if the response is not from the server. */
function parseImport(text: string): Import | null {
  try {
    return JSON.parse(text) as Import;
  } catch {
    return null;
  }
}

/** Returns the token and removes it from the URL, so that it is never visible, saved or shared. */
export function consumeUrlToken(): string {
  const token = location.hash.slice(1);
  if (token) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

function keyOf(method: string, address: string, authorization: string): string {
  return `${method} ${address} ${authorization}`;
}
