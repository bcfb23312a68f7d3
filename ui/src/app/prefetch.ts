import type { Import } from '../api/shapes';
import { firstRows } from '../cells/filter';

/** So long an answer counts as fresh, in milliseconds. */
const freshFor = 10_000;

interface Asked {
  readonly at: number;
  readonly answer: Promise<Response>;
}

/**
 * The first call of a review, made before the scripts are here that need it: it
 * opens the session, and where the rows are what comes next, the table and its
 * first rows come along. Whoever makes one of these calls by `fetch` gets the
 * answer that is on its way, whatever it is, once; every other call goes out as it
 * would.
 */
export class Prefetch {
  /** The id of the import, and the token of its link; "" where there is none. */
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

  /** Makes the call. */
  async start(): Promise<void> {
    const [method, call, authorization] = this.token ? ['POST', 'session/', `Bearer ${this.token}`] : ['GET', '', ''];
    const sent = this.#send(`${this.#base}${call}?rows=${firstRows}`, { method, cache: 'no-store', priority: 'high', ...(authorization && { headers: { authorization } }) });
    const opened = sent.then((answer) => this.#unpack(answer));
    this.#store(method!, call!, opened, authorization);
    await opened.catch(() => {}); // whoever takes over the call gets the error
  }

  readonly fetch = (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const name = keyOf(request.method, pathname + search, request.headers.get('authorization') ?? '');
    const known = this.#answers.get(name);
    this.#answers.delete(name);
    if (known && performance.now() - known.at < freshFor) return known.answer;
    // Behind a change nothing is as it was.
    if (request.method !== 'GET') this.#answers.clear();
    return this.#send(request);
  };

  /** Takes out what came along, before anybody learns of the answer: who does would ask for it. */
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

/** What the service says of the import; null where something else answered. */
function parseImport(text: string): Import | null {
  try {
    return JSON.parse(text) as Import;
  } catch {
    return null;
  }
}

/** Takes the token out of the address, where it would be seen, kept and sent on. */
export function consumeUrlToken(): string {
  const token = location.hash.slice(1);
  if (token) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

function keyOf(method: string, address: string, authorization: string): string {
  return `${method} ${address} ${authorization}`;
}
