/**
 * Returns a function like `fetch` that authenticates calls with the session of a review, because
 * browsers do not send cookies from a frame in a page of another site. The response that opens the
 * session contains its token.
 */
export function bearerFetch(send: typeof fetch = fetch.bind(globalThis)): typeof fetch {
  let session = '';
  return async (input, init) => {
    const request = new Request(input, { ...init, credentials: 'omit' });
    if (session && !request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${session}`);
    const answer = await send(request);
    if (request.method !== 'POST' || !new URL(request.url).pathname.endsWith('/session/') || !answer.ok) return answer;
    const opened: unknown = await answer.clone().json().catch(() => null);
    const token = (opened as { session?: unknown } | null)?.session;
    if (typeof token === 'string') session = token;
    return answer;
  };
}
