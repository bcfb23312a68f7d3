import { Fault, isAborted } from '../api';
import type { StartedImport } from './api';
import { checkFile, checkSize, type FileProblem } from './check-file';
import type { ImportEndpoint, OpenedPage, TypedRows } from './endpoint';
import { EarlierImports, type EarlierImport } from './earlier';
import { isSameFile, UnfinishedUploads, type Unfinished } from './unfinished';
import { csvOf } from './template';
import { uploadFile, type UploadProgress } from './upload';

/** Why a file was not accepted. */
export interface Refusal {
  readonly name: string;
  readonly problem: FileProblem | Fault;
}

/** A file that is being uploaded. */
export interface Uploading {
  readonly name: string;
  readonly progress: UploadProgress;
}

/** The state of the page. */
export interface VisitState {
  readonly phase: 'opening' | 'trouble' | 'password' | 'ready' | 'uploading' | 'review';
  readonly page: OpenedPage | null;
  /** Why the link cannot be opened; null if it can. */
  readonly trouble: Fault | null;
  /** Whether the last password was wrong. */
  readonly wrongPassword: boolean;
  readonly refusal: Refusal | null;
  readonly uploading: Uploading | null;
  /** An upload that was interrupted and can continue. */
  readonly unfinished: Unfinished | null;
  /** The import under review. */
  readonly current: EarlierImport | null;
  /** The imports that were sent from this browser, newest first. */
  readonly earlier: readonly EarlierImport[];
}

const nothing: VisitState = {
  phase: 'opening', page: null, trouble: null, wrongPassword: false, refusal: null, uploading: null, unfinished: null, current: null, earlier: [],
};

/** A visit to the page of an import link or to an embedded importer. The page shows the state of this object. */
export class Visit {
  readonly #endpoint: ImportEndpoint;
  readonly #upload;
  #state = nothing;
  #listeners = new Set<() => void>();
  #password = '';
  /** The cells of the rows that the person has typed and that were not sent yet. */
  typed: readonly (readonly string[])[] = [];
  #earlier: EarlierImports | null = null;
  #unfinished: UnfinishedUploads | null = null;
  #abort: AbortController | null = null;

  constructor(endpoint: ImportEndpoint, upload = uploadFile) {
    this.#endpoint = endpoint;
    this.#upload = upload;
  }

  /** Whether there is only one import, which cannot be replaced. */
  get isSingle(): boolean {
    return this.#endpoint.isSingle ?? false;
  }

  /** Whether the visit came through a link. Otherwise, a page embeds the importer. */
  get isLink(): boolean {
    return this.#endpoint.isLink;
  }

  get state(): VisitState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Opens the link, with its password if it has one. */
  async open(password = ''): Promise<void> {
    this.#password = password;
    try {
      const page = await this.#endpoint.open(password);
      // An embedded importer remembers nothing in the browser.
      this.#earlier = page.linkId ? new EarlierImports(page.linkId) : null;
      this.#unfinished = page.linkId ? new UnfinishedUploads(page.linkId) : null;
      const { saved } = page;
      const current = saved ? { id: saved.id, token: saved.reviewToken, name: saved.name, at: Date.now() } : this.#earlier?.current() ?? null;
      const unfinished = (await this.#unfinished?.load()) ?? null;
      this.#set({ ...nothing, page, phase: current ? 'review' : 'ready', current, earlier: this.#earlier?.list() ?? [], unfinished });
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault('lost');
      if (fault.code === 'password_required' || fault.code === 'wrong_password') this.#set({ ...nothing, phase: 'password', wrongPassword: fault.code === 'wrong_password' });
      else if (this.#state.phase === 'password' && fault.code !== 'revoked') throw fault; // such as too many attempts
      else this.#set({ ...nothing, phase: 'trouble', trouble: fault });
    }
  }

  /** Uploads a file. If it cannot be imported, the page says why. */
  async send(file: File): Promise<void> {
    const { page, phase } = this.#state;
    if (!page || phase !== 'ready') return;
    const isRead = this.#endpoint.reads?.(file.name) ?? false;
    const problem = isRead ? checkSize(file, page.maxFileSize) : await checkFile(file, page.maxFileSize);
    if (problem) {
      this.#set({ ...this.#state, refusal: { name: file.name, problem } });
      return;
    }
    const abort = (this.#abort = new AbortController());
    const show = (progress: UploadProgress) => {
      this.#unfinished?.update(progress);
      this.#set({ ...this.#state, phase: 'uploading', refusal: null, unfinished: null, uploading: { name: file.name, progress } });
    };
    const { unfinished } = this.#state;
    const before = unfinished && isSameFile(file, unfinished) ? unfinished : null;
    show({ sent: before?.sent ?? 0, total: file.size, rate: 0, lost: false });
    try {
      const content = isRead ? await this.#endpoint.read!(file) : file;
      abort.signal.throwIfAborted();
      if (!content) return this.#set({ ...this.#state, phase: 'ready', uploading: null, refusal: { name: file.name, problem: 'unreadable' } });
      const started = before ? await this.#resume(before, content, show, abort.signal) : null;
      const sent = started ?? await this.#sendNew(content, show, abort.signal);
      this.#unfinished?.forget();
      this.#review({ id: sent.id, token: sent.reviewToken, name: file.name, at: Date.now() });
    } catch (error) {
      this.#unfinished?.forget();
      const refusal = isAborted(error) ? null : { name: file.name, problem: error instanceof Fault ? error : new Fault('lost') };
      this.#set({ ...this.#state, phase: 'ready', uploading: null, refusal });
    }
  }

  async #sendNew(file: File, show: (progress: UploadProgress) => void, signal: AbortSignal): Promise<StartedImport> {
    const started = await this.#retry(() => this.#endpoint.start(file.name));
    const { upload, directUpload } = started;
    await this.#upload(upload, file, show, signal, { ...this.#unfinished?.options(started, file, null), ...(directUpload && { direct: directUpload }) });
    return started;
  }

  /** Continues an interrupted upload. Returns null if the server does not have it any more. */
  async #resume(before: Unfinished, file: File, show: (progress: UploadProgress) => void, signal: AbortSignal): Promise<StartedImport | null> {
    try {
      await this.#upload(before.started.upload, file, show, signal, this.#unfinished?.options(before.started, file, before));
      return before.started;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return null;
    }
  }

  /** Offers to send any file instead of continuing an interrupted upload. */
  forgetUnfinished(): void {
    this.#unfinished?.forget();
    this.#set({ ...this.#state, unfinished: null });
  }

  /** Imports rows that the person has typed. `labels` are the names of the fields by key. */
  async sendRows(rows: TypedRows, labels: Readonly<Record<string, string>>): Promise<void> {
    if (this.#endpoint.startRows) return this.#startTyped(rows);
    const keys = Object.keys(labels);
    const table = [Object.values(labels), ...rows.map((row) => keys.map((key) => row[key] ?? ''))];
    return this.send(new File([csvOf(table)], 'rows.csv', { type: 'text/csv' }));
  }

  async #startTyped(rows: TypedRows): Promise<void> {
    try {
      const started = await this.#retry(() => this.#endpoint.startRows!(rows));
      this.#review({ id: started.id, token: started.reviewToken, name: '', at: Date.now() });
    } catch (error) {
      this.#set({ ...this.#state, refusal: { name: '', problem: error instanceof Fault ? error : new Fault('lost') } });
    }
  }

  /** Starts an import that needs no file, and shows its review. */
  async begin(start: () => Promise<StartedImport>, name: string): Promise<void> {
    try {
      const started = await start();
      this.#review({ id: started.id, token: started.reviewToken, name, at: Date.now() });
    } catch (error) {
      this.#set({ ...nothing, phase: 'trouble', trouble: error instanceof Fault ? error : new Fault('lost') });
    }
  }

  /** Creates an import. If the session has expired, it opens another one. */
  async #retry(start: () => Promise<StartedImport>): Promise<StartedImport> {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'expired')) throw error;
      await this.#endpoint.open(this.#password);
      return start();
    }
  }

  /** Returns an empty workbook with the expected columns, in a language. */
  template(lang: string): Promise<Blob> {
    return this.#endpoint.template(lang);
  }

  cancelUpload(): void {
    this.#abort?.abort();
  }

  /** Shows the review of an earlier import. */
  show(one: EarlierImport): void {
    this.#earlier?.setCurrent(one.id);
    this.#set({ ...this.#state, phase: 'review', current: one, refusal: null });
  }

  #review(one: EarlierImport): void {
    this.typed = [];
    this.#earlier?.add(one);
    this.#earlier?.setCurrent(one.id);
    this.#set({ ...this.#state, phase: 'review', uploading: null, current: one, earlier: this.#earlier?.list() ?? [] });
  }

  /** Returns to the start, so that another file can be sent. `forget` removes the current import. */
  async startOver(forget: boolean): Promise<void> {
    const { current } = this.#state;
    this.#earlier?.setCurrent(null);
    if (forget && current) this.#earlier?.remove(current.id);
    this.#set({ ...nothing, phase: 'opening' });
    await this.open(this.#password); // the limits of the link may have been reached
  }

  #set(state: VisitState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}
