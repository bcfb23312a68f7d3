import { Fault, isAborted, unwrap } from '../api';
import { bearer, createLinkApi, type LinkPage } from './api';
import { checkFile, type FileProblem } from './check-file';
import { EarlierImports, type EarlierImport } from './earlier';
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
  readonly page: LinkPage | null;
  /** Why the link cannot be opened; null if it can. */
  readonly trouble: Fault | null;
  /** Whether the last password was wrong. */
  readonly wrongPassword: boolean;
  readonly refusal: Refusal | null;
  readonly uploading: Uploading | null;
  /** The import under review. */
  readonly current: EarlierImport | null;
  /** The imports that were sent from this browser, newest first. */
  readonly earlier: readonly EarlierImport[];
}

const nothing: VisitState = {
  phase: 'opening', page: null, trouble: null, wrongPassword: false, refusal: null, uploading: null, current: null, earlier: [],
};

/** A visit to the page of an import link. The page shows the state of this object. */
export class Visit {
  readonly #token: string;
  readonly #api;
  readonly #upload;
  #state = nothing;
  #listeners = new Set<() => void>();
  /** The token of the session. */
  #session = '';
  #password = '';
  #earlier: EarlierImports | null = null;
  #abort: AbortController | null = null;

  constructor(token: string, send?: (request: Request) => Promise<Response>, upload = uploadFile) {
    this.#token = token;
    this.#api = createLinkApi(send);
    this.#upload = upload;
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
      const page = await this.#openSession();
      this.#earlier = new EarlierImports(page.linkId);
      const current = this.#earlier.current();
      this.#set({ ...nothing, page, phase: current ? 'review' : 'ready', current, earlier: this.#earlier.list() });
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault('lost');
      if (fault.code === 'password_required' || fault.code === 'wrong_password') this.#set({ ...nothing, phase: 'password', wrongPassword: fault.code === 'wrong_password' });
      else if (this.#state.phase === 'password' && fault.code !== 'revoked') throw fault; // such as too many attempts
      else this.#set({ ...nothing, phase: 'trouble', trouble: fault });
    }
  }

  async #openSession(): Promise<LinkPage> {
    const body = this.#password ? { password: this.#password } : {};
    const page = await unwrap(this.#api.POST('/api/in/v1/session/', { headers: bearer(this.#token), body }));
    this.#session = page.session ?? '';
    return page;
  }

  /** Uploads a file. If it cannot be imported, the page says why. */
  async send(file: File): Promise<void> {
    const { page, phase } = this.#state;
    if (!page || phase !== 'ready') return;
    const problem = await checkFile(file, page.maxFileSize);
    if (problem) {
      this.#set({ ...this.#state, refusal: { name: file.name, problem } });
      return;
    }
    const abort = (this.#abort = new AbortController());
    const show = (progress: UploadProgress) => this.#set({ ...this.#state, phase: 'uploading', refusal: null, uploading: { name: file.name, progress } });
    show({ sent: 0, total: file.size, rate: 0 });
    try {
      const started = await this.#start(file.name);
      await this.#upload(started.upload, file, show, abort.signal);
      this.#review({ id: started.id, token: started.reviewToken, name: file.name, at: Date.now() });
    } catch (error) {
      const refusal = isAborted(error) ? null : { name: file.name, problem: error instanceof Fault ? error : new Fault('lost') };
      this.#set({ ...this.#state, phase: 'ready', uploading: null, refusal });
    }
  }

  /** Creates an import. If the session has expired, it opens another one. */
  async #start(name: string) {
    const call = () => unwrap(this.#api.POST('/api/in/v1/imports/', { headers: bearer(this.#session), body: { original_filename: name } }));
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'expired')) throw error;
      await this.#openSession();
      return call();
    }
  }

  /** Returns an empty workbook with the expected columns, in a language. */
  async template(lang: string): Promise<Blob> {
    return unwrap(this.#api.GET('/api/in/v1/template/', { headers: bearer(this.#session), params: { query: { lang } }, parseAs: 'blob' }));
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
