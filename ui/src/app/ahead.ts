import type { Import } from '../api/shapes';
import { firstRows } from '../cells/first';

/** So long an answer counts as fresh, in milliseconds. */
const fresh = 10_000;

interface Asked {
  readonly at: number;
  readonly answer: Promise<Response>;
}

/**
 * The first calls of a review, made before the scripts are here that need them:
 * the session, and where the rows are what comes next, the table and its first
 * rows. Whoever makes one of these calls by `fetch` gets the answer that is on
 * its way, whatever it is, once; every other call goes out as it would.
 */
export class Ahead {
  /** The id of the import, and the token of its link; "" where there is none. */
  readonly id: string;
  readonly token: string;
  readonly #base: string;
  readonly #send: typeof fetch;
  readonly #asked = new Map<string, Asked>();

  constructor(id: string, token: string, send: typeof fetch = fetch.bind(globalThis)) {
    this.id = id;
    this.token = token;
    this.#base = `/api/review/v1/${encodeURIComponent(id)}/`;
    this.#send = send;
  }

  /** Makes the calls. */
  async begin(): Promise<void> {
    const goOn = (answer: Response) => this.#goOn(answer);
    const opened = this.token ? this.#ask('POST', 'session/', `Bearer ${this.token}`, goOn) : this.#ask('GET', '', '', goOn);
    await opened.catch(() => {}); // whoever takes over the call is told
  }

  readonly fetch = (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const name = nameOf(request.method, pathname + search, request.headers.get('authorization') ?? '');
    const known = this.#asked.get(name);
    this.#asked.delete(name);
    if (known && performance.now() - known.at < fresh) return known.answer;
    // Behind a change nothing is as it was.
    if (request.method !== 'GET') this.#asked.clear();
    return this.#send(request);
  };

  /** Asks for what comes next before anybody learns of the answer: who does would ask as well. */
  async #goOn(opened: Response): Promise<Response> {
    const facts = opened.ok ? ((await opened.clone().json().catch(() => null)) as Import | null) : null;
    if (facts && leadsToCells(facts)) {
      for (const call of ['table/', `rows/?show=all&from=0&count=${firstRows}`]) this.#ask('GET', call).catch(() => {});
    }
    return opened;
  }

  #ask(method: string, call: string, authorization = '', then = (answer: Response) => Promise.resolve(answer)): Promise<Response> {
    const address = this.#base + call;
    const answer = this.#send(address, { method, cache: 'no-store', priority: 'high', ...(authorization && { headers: { authorization } }) }).then(then);
    this.#asked.set(nameOf(method, address, authorization), { at: performance.now(), answer });
    return answer;
  }
}

/** Whether nothing stands between a person and the rows. */
export function leadsToCells({ status, hasRows, openQuestions }: Import): boolean {
  return status === 'NEEDS_REVIEW' && hasRows === true && openQuestions === 0;
}

/** Takes the token out of the address, where it would be seen, kept and sent on. */
export function takeToken(): string {
  const token = location.hash.slice(1);
  if (token) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

function nameOf(method: string, address: string, authorization: string): string {
  return `${method} ${address} ${authorization}`;
}
