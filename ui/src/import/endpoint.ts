import { unwrap } from '../api';
import { bearer, createLinkApi, type LinkPage, type StartedImport } from './api';

/** An import that a person has begun earlier. */
export interface SavedWork {
  readonly id: string;
  readonly reviewToken: string;
  /** The name of the file; "" if there is none. */
  readonly name: string;
  /** The step in which the person was; "" if it is unknown. */
  readonly step: string;
}

/** What a page shows before a file is sent. */
export interface OpenedPage extends LinkPage {
  /** The import to continue. */
  readonly saved?: SavedWork | null;
  /** The address of a template of the organization, instead of generated ones. */
  readonly templateUrl?: string;
  /** The name of generated templates, without an extension. */
  readonly templateName?: string;
}

/** Rows by field key. */
export type TypedRows = readonly Readonly<Record<string, string>>[];

/** Where a visit sends its files. */
export interface ImportEndpoint {
  /** Whether this is an import link, not an embedded importer. */
  readonly isLink: boolean;
  /** Whether there is only one import, which cannot be replaced. */
  readonly isSingle?: boolean;
  /** Opens a session, with a password if the link has one. Throws a Fault if that is refused. */
  open(password: string): Promise<OpenedPage>;
  /** Reports whether the page around the importer reads files with this name itself. */
  reads?(name: string): boolean;
  /** Returns a file with the cells that the page has read from a file; null if it could not. */
  read?(file: File): Promise<File | null>;
  /** Creates an import of rows. If missing, rows are sent as a file. */
  startRows?(rows: TypedRows): Promise<StartedImport>;
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
