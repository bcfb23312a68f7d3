import { unwrap } from '../api';
import { bearer, createLinkApi, type StartedImport } from '../import/api';
import type { ImportEndpoint, OpenedPage } from '../import/endpoint';
import type { Peer } from './channel';
import type { FileParsers } from './file-parsers';
import type { PageHookKinds } from './page-hooks';
import type { ImportBody, Setup } from './setup';

/** What an importer needs from the page that embeds it. */
export interface Embedding {
  readonly peer: Peer;
  readonly parsers: FileParsers;
  /** The kinds of hooks that the page has; null if it has none. */
  readonly hooks: PageHookKinds | null;
  /** Called with each import. */
  readonly onStarted: (started: StartedImport) => unknown;
}

/** Files that have sheets. */
const workbook = /\.(xlsx?|xlsm|xlsb|ods)$/i;

/** An importer that a page embeds. */
export class WidgetEndpoint implements ImportEndpoint {
  readonly isLink = false;
  /** The setup, which the page can change. */
  setup: Setup;
  readonly #api = createLinkApi();
  readonly #embedding: Embedding;
  #session = '';

  constructor(setup: Setup, embedding: Embedding) {
    this.setup = setup;
    this.#embedding = embedding;
  }

  async open(): Promise<OpenedPage> {
    const { key, choice, helpText, hydration, template } = this.setup;
    const body = { ...choice, origin: this.#embedding.peer.origin, ...(hydration && { hydration_id: hydration }) };
    const opened = await unwrap(this.#api.POST('/api/widget/v1/session/', { headers: { 'x-service-license-key': key }, body }));
    this.#session = opened.session;
    const { title, maxFileSize, styleOverrides, fields, manualInput, saved } = opened;
    if (saved) this.#embedding.onStarted(saved);
    return {
      linkId: '', title, text: helpText, company: '', contact: '', accentColor: '', returnUrl: '', logoUrl: '', maxFileSize, styleOverrides, fields, manualInput, ...template,
      saved: saved && { id: saved.id, reviewToken: saved.reviewToken, name: saved.originalFilename, step: saved.step },
    };
  }

  reads(name: string): boolean {
    return this.#embedding.parsers.reads(name);
  }

  read(file: File): Promise<File | null> {
    return this.#embedding.parsers.read(this.#embedding.peer, file);
  }

  start(filename: string): Promise<StartedImport> {
    const { headerRow, delimiter: wanted, sheet } = this.setup;
    const isRead = this.reads(filename); // a parser of the page has made it a CSV file
    const delimiter = isRead ? ',' : wanted;
    return this.#import({ original_filename: filename, header_row: headerRow, ...(delimiter && { delimiter }), ...(sheet && !isRead && workbook.test(filename) && { sheet }) });
  }

  /** Creates an import of rows that the page provides or a person has typed. */
  startRows(rows: readonly Record<string, unknown>[]): Promise<StartedImport> {
    return this.#import({ initial_data: rows as Record<string, never>[] });
  }

  async #import(of: Pick<ImportBody, 'original_filename' | 'initial_data' | 'header_row' | 'delimiter' | 'sheet'>): Promise<StartedImport> {
    const { choice, user, saves, createsFields } = this.setup;
    const { hooks, onStarted } = this.#embedding;
    const body = { ...choice, ...of, ...(user && { import_metadata: { user } }), ...(hooks && { page_hooks: hooks }), ...(saves && { save: true }), ...(createsFields && { create_fields: true }) };
    const started = await unwrap(this.#api.POST('/api/widget/v1/imports/', { headers: bearer(this.#session), body }));
    onStarted(started);
    return started;
  }

  template(lang: string): Promise<Blob> {
    return unwrap(this.#api.POST('/api/widget/v1/template/', { headers: bearer(this.#session), body: { ...this.setup.choice, lang }, parseAs: 'blob' }));
  }
}
