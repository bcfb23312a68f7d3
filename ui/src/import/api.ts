import createClient, { type Client } from 'openapi-fetch';
import type { operations, paths } from '../api/schema';

type Answer<Name extends keyof operations, Status extends number> =
  operations[Name] extends { responses: Record<Status, { content: { 'application/json': infer T } }> } ? T : never;

export type LinkPage = Answer<'openImportLink', 200>;
export type LinkField = LinkPage['fields'][number];
export type StartedImport = Answer<'startLinkImport', 201>;

/** The API of an import link. Every call carries a token, so no cookie is needed. */
export function createLinkApi(send: (request: Request) => Promise<Response> = fetch.bind(globalThis)): Client<paths> {
  return createClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request), cache: 'no-store' });
}

/** Returns the header that carries a token. */
export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}
