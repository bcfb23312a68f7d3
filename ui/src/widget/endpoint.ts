import { unwrap } from '../api';
import { bearer, createLinkApi, type LinkPage, type StartedImport } from '../import/api';
import type { ImportEndpoint } from '../import/endpoint';
import type { PageHookKinds } from './page-hooks';
import type { ImportBody, Setup } from './setup';

/** An importer that a page embeds. */
export class WidgetEndpoint implements ImportEndpoint {
  readonly isLink = false;
  readonly #origin: string;
  /** The setup, which the page can change. */
  setup: Setup;
  readonly #api = createLinkApi();
  readonly #hooks: PageHookKinds | null;
  readonly #onStarted: (started: StartedImport) => void;
  #session = '';

  /** `hooks` are the hooks of the page. `onStarted` is called with each import. */
  constructor(origin: string, setup: Setup, hooks: PageHookKinds | null, onStarted: (started: StartedImport) => void) {
    this.#hooks = hooks;
    this.#onStarted = onStarted;
    this.#origin = origin;
    this.setup = setup;
  }

  async open(): Promise<LinkPage> {
    const { key, choice, helpText } = this.setup;
    const opened = await unwrap(this.#api.POST('/api/widget/v1/session/', { headers: { 'x-service-license-key': key }, body: { ...choice, origin: this.#origin } }));
    this.#session = opened.session;
    const { title, maxFileSize, styleOverrides, fields } = opened;
    return { linkId: '', title, text: helpText, company: '', contact: '', accentColor: '', returnUrl: '', logoUrl: '', maxFileSize, styleOverrides, fields };
  }

  start(filename: string): Promise<StartedImport> {
    const { headerRow, delimiter } = this.setup;
    return this.#import({ original_filename: filename, header_row: headerRow, ...(delimiter && { delimiter }) });
  }

  /** Creates an import of rows that the page provides. */
  startRows(rows: readonly Record<string, unknown>[]): Promise<StartedImport> {
    return this.#import({ initial_data: rows as Record<string, never>[] });
  }

  async #import(of: Pick<ImportBody, 'original_filename' | 'initial_data' | 'header_row' | 'delimiter'>): Promise<StartedImport> {
    const { choice, user } = this.setup;
    const body = { ...choice, ...of, ...(user && { import_metadata: { user } }), ...(this.#hooks && { page_hooks: this.#hooks }) };
    const started = await unwrap(this.#api.POST('/api/widget/v1/imports/', { headers: bearer(this.#session), body }));
    this.#onStarted(started);
    return started;
  }

  template(lang: string): Promise<Blob> {
    return unwrap(this.#api.POST('/api/widget/v1/template/', { headers: bearer(this.#session), body: { ...this.setup.choice, lang }, parseAs: 'blob' }));
  }
}
