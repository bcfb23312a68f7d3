import createClient, { type Client } from 'openapi-fetch';
import { Fault, faultOf, isAborted } from './fault';
import type { paths } from './schema';

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The API for reviewing one import. */
export interface Api {
  readonly id: string;
  /** Base path of all its URLs, with a trailing slash. */
  readonly base: string;
  /** Path parameters of a call. */
  readonly path: { readonly id: string };
  readonly calls: Client<paths>;
}

export function createApi(id: string, given: (request: Request) => Promise<Response> = fetch.bind(globalThis)): Api {
  const calls = createClient<paths>({ baseUrl: location.origin, fetch: (request) => given(request), cache: 'no-store' });
  return { id, base: `/api/review/v1/${encodeURIComponent(id)}/`, path: { id }, calls };
}

/**
 * Awaits a call and returns the data of its response. Throws a Fault if the call failed,
 * and the AbortError if the page aborted it.
 *
 *     await unwrap(api.calls.GET('/api/review/v1/{id}/counts/', { params: { path: api.path }, signal }))
 */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch (error) {
    if (isAborted(error) || error instanceof Fault) throw error;
    throw new Fault('lost');
  }
  const { response, data } = answer;
  // A response without content has no data.
  if (response.ok && (data !== undefined || response.status === 204)) return data as T;
  throw faultOf(answer.response.status, answer.error);
}
