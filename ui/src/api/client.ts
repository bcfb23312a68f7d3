import createClient, { type Client } from 'openapi-fetch';
import { Fault, faultOf, isAborted } from './fault';
import type { paths } from './schema';

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The calls of the review of one import. */
export interface Api {
  readonly id: string;
  /** The beginning of all its addresses, with a slash at the end. */
  readonly base: string;
  /** For the path of a call. */
  readonly path: { readonly id: string };
  readonly calls: Client<paths>;
}

export function createApi(id: string, given: (request: Request) => Promise<Response> = fetch.bind(globalThis)): Api {
  const calls = createClient<paths>({ baseUrl: location.origin, fetch: (request) => given(request), cache: 'no-store' });
  return { id, base: `/api/review/v1/${encodeURIComponent(id)}/`, path: { id }, calls };
}

/**
 * Waits for a call and gives what was answered; a Fault is thrown where nothing
 * was, and the AbortError of a call that the page gave up.
 *
 *     await ask(api.calls.GET('/api/review/v1/{id}/counts/', { params: { path: api.path }, signal }))
 */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch (error) {
    if (isAborted(error) || error instanceof Fault) throw error;
    throw new Fault('lost');
  }
  if (answer.response.ok && answer.data !== undefined) return answer.data;
  throw faultOf(answer.response.status, answer.error);
}
