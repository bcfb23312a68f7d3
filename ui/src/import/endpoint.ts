import { unwrap } from '../api';
import { bearer, createLinkApi, type LinkPage, type StartedImport } from './api';

/** Where a visit sends its files. */
export interface ImportEndpoint {
  /** Whether this is an import link, not an embedded importer. */
  readonly isLink: boolean;
  /** Opens a session, with a password if the link has one. Throws a Fault if that is refused. */
  open(password: string): Promise<LinkPage>;
  /** Creates an import for a file. Throws a Fault with the code "expired" if a session must be opened again. */
  start(filename: string): Promise<StartedImport>;
  /** Returns an empty workbook with the expected columns, in a language. */
  template(lang: string): Promise<Blob>;
}

/** An import link. */
export class LinkEndpoint implements ImportEndpoint {
  readonly isLink = true;
  readonly #token: string;
  readonly #api;
  /** The token of the session. */
  #session = '';

  constructor(token: string, send?: (request: Request) => Promise<Response>) {
    this.#token = token;
    this.#api = createLinkApi(send);
  }

  async open(password: string): Promise<LinkPage> {
    const body = password ? { password } : {};
    const page = await unwrap(this.#api.POST('/api/in/v1/session/', { headers: bearer(this.#token), body }));
    this.#session = page.session ?? '';
    return page;
  }

  start(filename: string): Promise<StartedImport> {
    return unwrap(this.#api.POST('/api/in/v1/imports/', { headers: bearer(this.#session), body: { original_filename: filename } }));
  }

  template(lang: string): Promise<Blob> {
    return unwrap(this.#api.GET('/api/in/v1/template/', { headers: bearer(this.#session), params: { query: { lang } }, parseAs: 'blob' }));
  }
}
