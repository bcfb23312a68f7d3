import { ApiError, ConnectionError, readError } from './errors.js';

/** How often a request is sent at most. */
export const maxAttempts = 5;
/** The average delay in milliseconds before the second attempt. Each further delay is twice as long. */
const firstDelay = 500;
/** The longest delay in seconds for which a server can ask. If it asks for more, the request fails. */
const maxRetryAfter = 60;

export type Fetch = typeof globalThis.fetch;
export type Sleep = (milliseconds: number, signal?: AbortSignal | null) => Promise<void>;

/** What the attempts of a request have in common. */
export interface Target {
  method: string;
  url: string;
  signal?: AbortSignal | null;
}

/**
 * Calls `attempt` to send a request until it succeeds, or another attempt is unsafe or useless.
 * Throws an `ApiError` if the last response is not a success.
 */
export async function send({ method, url, signal }: Target, attempt: () => Promise<Response>, sleep: Sleep): Promise<Response> {
  for (let count = 1; ; count++) {
    let error: ApiError | ConnectionError;
    try {
      const response = await attempt();
      if (response.ok) return response;
      error = await readError(response);
    } catch (cause) {
      signal?.throwIfAborted();
      error = new ConnectionError(url, cause);
    }
    const delay = count < maxAttempts ? retryDelay(method, error, count) : undefined;
    if (delay === undefined) throw error;
    await sleep(delay, signal);
  }
}

/** Returns how many milliseconds to wait before another attempt. Undefined means not to make one. */
export function retryDelay(method: string, error: ApiError | ConnectionError, attempt: number): number | undefined {
  // The delays vary, so that clients do not return at the same time.
  const delay = firstDelay * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
  if (error instanceof ConnectionError || error.status === 502 || error.status === 504) {
    // The server may have processed the request. For a POST, the Idempotency-Key makes the
    // repetition safe. A repeated DELETE would report that the resource does not exist.
    return method === 'DELETE' ? undefined : delay;
  }
  if (error.status !== 429 && error.status !== 503 && error.code !== 'idempotency_key_in_use') return undefined;
  if (error.retryAfter === undefined) return delay;
  return error.retryAfter <= maxRetryAfter ? error.retryAfter * 1000 : undefined;
}

/** Waits. Rejects with the reason of the signal if it is aborted first. */
export const sleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
