import type { Fault } from '../api';
import type { ReviewHost } from '../app/host';
import type { StartedImport } from '../import/api';
import { mountVisit } from '../import/mount';
import { Visit } from '../import/visit';
import type { ImportEndpoint } from '../import/endpoint';
import type { StepId } from '../app/steps';
import { bearerFetch } from './bearer';
import type { Peer } from './channel';
import { CustomSteps } from './custom-steps';
import { EventStream } from './event-stream';
import { WidgetEndpoint } from './endpoint';
import { FileParsers } from './file-parsers';
import { PageHooks, type PageHookKinds } from './page-hooks';
import { Progress } from './progress';
import { isRehydrationKey, RehydratedEndpoint } from './rehydrated';
import { readMetadata, readRows, type Row } from './results';
import { reportButtons } from './user-events';
import { inMode, inlineSetup, savedSetup, userOf, withField, withoutField, type SchemaChoice, type Setup } from './setup';

/** The kinds of hooks of the page, by the method with which the page announces them. */
type HookKind = 'Col' | 'Row' | 'BulkRow' | 'BatchRow' | 'RowDelete';

/** A message of the page that a person must confirm before rows are submitted. */
export interface Confirmation {
  readonly html: string;
  /** The names of the buttons; null for the usual ones. */
  readonly submit: string | null;
  readonly cancel: string | null;
}

/**
 * An importer that a page embeds. The page calls its methods. Opening it again starts over, because
 * closing only hides it.
 */
export class Widget {
  readonly #root: HTMLElement;
  #peer: Peer | null = null;
  #visit: Visit | null = null;
  #unmount = () => {};
  #endpoint: WidgetEndpoint | null = null;
  #confirmation: Confirmation | null = null;
  #pageHooks: PageHooks | null = null;
  #progress: Progress | null = null;
  readonly #parsers = new FileParsers();
  /** The custom steps of the page, and those of the importer that is open. */
  #customSteps = new CustomSteps([]);
  #openSteps = this.#customSteps;
  /** Resolves when the changes of the schema so far are made. */
  #changing: Promise<unknown> = Promise.resolve();
  /** The step of the review; null before a file is sent. */
  #step: StepId | null = null;
  #inline = false;
  #language: string | null = null;
  #send: typeof fetch = fetch;
  /** Number of times that the page has opened the importer. */
  opened = 0;
  #hooks = new Map<HookKind, number>();
  /** Asks the person before rows are submitted. Resolves to null if they agree, or to a message that the rows were not submitted. */
  confirm: (confirmation: Confirmation) => Promise<string | null> = () => Promise.resolve(null);
  /** Called when the importer opens, closes, or becomes part of the page. */
  onChange = () => {};

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  get visit(): Visit | null {
    return this.#visit;
  }

  /** Whether the importer is a part of the page instead of a dialog above it. */
  get inline(): boolean {
    return this.#inline;
  }

  /** Whether the work of the person remains when the importer is closed. */
  get saves(): boolean {
    return this.#endpoint?.setup.saves ?? this.#visit !== null;
  }

  /** The language that the page has chosen; null for that of the browser. */
  get language(): string | null {
    return this.#language;
  }

  set peer(peer: Peer) {
    this.#peer = peer;
    if (peer.has('handleUserEvent')) reportButtons(() => this.#step, (event) => void peer.call('handleUserEvent', event).catch(() => {}));
  }

  /** The methods that the page may call. */
  readonly methods = {
    init: (key: unknown, fields: unknown, settings: unknown, user: unknown) => this.#open(inlineSetup(key, fields, settings, user)),
    initFromSavedSchema: (key: unknown, schema: unknown, _host: unknown, options: unknown) => this.#open(savedSetup(key, schema, options)),
    setEmbedInline: (is: unknown) => {
      this.#inline = is === true;
      this.onChange();
    },
    setNumRegisteredColHooks: (n: unknown) => this.#count('Col', n),
    setNumRegisteredRowHooks: (n: unknown) => this.#count('Row', n),
    setNumRegisteredBulkRowHooks: (n: unknown) => this.#count('BulkRow', n),
    setNumRegisteredBatchRowHooks: (n: unknown) => this.#count('BatchRow', n),
    setNumRegisteredRowDeleteHooks: (n: unknown) => this.#count('RowDelete', n),
    setCustomParserFileExtensions: (extensions: unknown) => this.#parsers.set(extensions),
    setCustomSteps: (steps: unknown) => {
      this.#customSteps = new CustomSteps(steps);
    },
    completeCustomStep: () => this.#openSteps.end('next'),
    goBackCustomStep: () => this.#openSteps.end('back'),
    setHeaderRowOverride: (row: unknown) => this.#inStep('setHeaderRowOverride', row) || this.#change((setup) => ({ ...setup, headerRow: typeof row === 'number' ? row : null })),
    setUser: (user: unknown) => this.#inStep('setUser', user) || this.#change((setup) => ({ ...setup, user: userOf(user) })),
    setDevelopmentMode: (is: unknown) => this.#inStep('setDevelopmentMode', is) || this.#changeSchema((choice) => inMode(choice, is === true)),
    addField: (field: unknown, position: unknown) => this.#inStep('addField', field, position ?? null) || this.#changeSchema((choice) => withField(choice, field, position)),
    removeField: (key: unknown) => this.#inStep('removeField', key) || this.#changeSchema((choice) => withoutField(choice, key)),
    setConfirmationMessage: (html: unknown, options: unknown) => {
      const { submitButtonText, cancelButtonText } = (options ?? {}) as { submitButtonText?: unknown; cancelButtonText?: unknown };
      this.#confirmation = typeof html === 'string' && html ? { html, submit: textOr(submitButtonText), cancel: textOr(cancelButtonText) } : null;
    },
    updateInfoMessages: (messages: unknown) => this.#onlyInStep('updateInfoMessages', messages),
    addRows: (rows: unknown) => {
      const ids = Array.isArray(rows) ? rows.map(() => crypto.randomUUID()) : [];
      this.#onlyInStep('addRows', rows, ids);
      return ids;
    },
    removeRows: (ids: unknown) => this.#onlyInStep('removeRows', ids),
    rehydrate: (_state: unknown, id: unknown) => {
      // The key has opened the import already.
      if (this.#visit?.state.current?.id !== id) throw new Error('The key was not made for this import. Get both from rehydration/.');
    },
  };

  /** Changes the setup of the importer. It applies to files that are sent afterwards. */
  #change(change: (setup: Setup) => Setup): void {
    if (!this.#endpoint) throw new Error(this.#visit ? 'This import exists already, so it cannot be changed.' : 'The importer is not open.');
    this.#endpoint.setup = change(this.#endpoint.setup);
  }

  /** Changes the schema of the importer, which is fixed once a file has been sent. */
  #changeSchema(change: (choice: SchemaChoice) => SchemaChoice): Promise<void> {
    const made = this.#changing.then(() => this.#changeSchemaNow(change));
    this.#changing = made.catch(() => {});
    return made;
  }

  async #changeSchemaNow(change: (choice: SchemaChoice) => SchemaChoice): Promise<void> {
    const visit = this.#visit;
    if (visit && visit.state.phase !== 'ready') throw new Error('The schema cannot be changed after a file was sent.');
    const before = this.#endpoint?.setup.choice;
    this.#change((setup) => ({ ...setup, choice: change(setup.choice) }));
    await visit?.open();
    const trouble = visit?.state.trouble;
    if (!trouble || !before) return;
    // The schema is invalid now, so the call has no effect.
    this.#change((setup) => ({ ...setup, choice: before }));
    await visit!.open();
    throw refusalOf(trouble);
  }

  /** Returns the kinds of hooks that the page has; null if it has none. */
  #hookKinds(): PageHookKinds | null {
    const has = (kind: HookKind) => (this.#hooks.get(kind) ?? 0) > 0;
    const kinds = { columns: has('Col'), rows: has('Row'), bulk: has('BulkRow'), batches: has('BatchRow'), deleted: has('RowDelete'), steps: this.#peer!.has('handleStepHook') };
    return Object.values(kinds).some(Boolean) ? kinds : null;
  }

  /** Calls the hooks of the page for an import, instead of for the one before. */
  #startHooks(started: StartedImport): void {
    this.#pageHooks?.stop();
    this.#progress?.stop();
    this.#progress = this.#endpoint?.setup.saves ? new Progress(started.id, this.#send) : null;
    if (!this.#hookKinds()) return;
    this.#pageHooks = new PageHooks(this.#peer!, started, this.#send);
  }

  #onlyInStep(name: string, ...args: unknown[]): void {
    if (!this.#inStep(name, ...args)) throw new Error(`${name} can only be called in a step hook.`);
  }

  /** Answers calls to hooks when the server announces them. */
  #listen(events: EventStream): EventStream {
    events.addEventListener('pageHooks', () => void this.#pageHooks?.answer());
    events.addEventListener('state', () => this.#progress?.change());
    return events;
  }

  /** Passes a method call to the step hook that makes it. Returns whether there is one. */
  #inStep(name: string, ...args: unknown[]): boolean {
    return this.#pageHooks?.record({ name, args }) ?? false;
  }

  #count(kind: HookKind, n: unknown): void {
    this.#hooks.set(kind, Number(n) || 0);
  }

  /** Opens the importer and resolves when it shows something. */
  async #open(setup: Setup): Promise<void> {
    this.#unmount();
    this.#pageHooks?.stop();
    this.#progress?.stop();
    this.#confirmation = null;
    this.#step = null;
    const send = (this.#send = bearerFetch());
    const visit = (this.#visit = new Visit(this.#endpointOf(setup)));
    this.opened++;
    this.#language = setup.language ?? new URLSearchParams(location.search).get('lang');
    this.#unmount = mountVisit(this.#root, visit, {
      language: this.#language,
      host: { ...setup.review, ...this.#host(visit, send) },
      send: this.#askBeforeSubmitting(visit, send),
    });
    this.onChange();
    await visit.open();
    // A page that can report errors does so. For all others, the importer shows why it cannot be opened.
    if (visit.state.trouble && this.#peer!.has('handleError')) throw refusalOf(visit.state.trouble);
    const { rows, file } = setup;
    if (visit.state.page?.saved && (rows || file)) console.warn('The importer continues a saved import, so it ignores initialData and initialFile.');
    if (visit.state.phase !== 'ready') return;
    if (rows) await visit.begin(async () => this.#endpoint!.startRows(rows), '');
    else if (file) void visit.send(file);
  }

  #endpointOf(setup: Setup): ImportEndpoint {
    this.#endpoint = null;
    if (isRehydrationKey(setup.key)) return new RehydratedEndpoint(setup);
    const endpoint: WidgetEndpoint = new WidgetEndpoint(setup, {
      peer: this.#peer!, parsers: this.#parsers, hooks: this.#hookKinds(),
      onStarted: (started) => this.#endpoint === endpoint && this.#startHooks(started), // the page may have opened another importer
    });
    return (this.#endpoint = endpoint);
  }

  /** Returns what the review needs from the page. */
  #host(visit: Visit, send: typeof fetch): Partial<ReviewHost> {
    const steps = (this.#openSteps = this.#customSteps);
    return {
      deliver: () => this.#deliver(visit, send),
      connect: (address) => this.#listen(new EventStream(address, send)),
      customSteps: steps.list,
      showCustomStep: (id, place, controls) => steps.show(id, place, controls, this.#peer!),
      onState: ({ steps, step }) => {
        if (steps.length === 0) return;
        this.#step = step;
        this.#progress?.enter(step);
      },
    };
  }

  /**
   * Returns a function like `send` that asks the page before rows are submitted. If the page cancels,
   * the call has the response that the server sends if a hook of the schema cancels.
   */
  #askBeforeSubmitting(visit: Visit, send: typeof fetch): typeof fetch {
    return async (input, init) => {
      const request = new Request(input, init);
      const peer = this.#peer!;
      const submits = request.method === 'POST' && request.url.endsWith('/submit/');
      const refused = submits && this.#confirmation ? await this.confirm(this.#confirmation) : null;
      if (refused !== null) return cancelled(refused);
      if (submits && peer.has('handleStepHook')) await this.#announceSubmission(visit, send);
      if (submits && (await peer.call('hasBeforeFinishCallback').catch(() => false)) === true) {
        const rows = await joinBatches(readRows(send, reviewOf(visit)));
        const verdict = await peer.call('handleBeforeFinishCallback', rows, await readMetadata(send, reviewOf(visit))).catch(() => null);
        const { cancel, message } = (verdict ?? {}) as { cancel?: unknown; message?: unknown };
        if (cancel === true) return cancelled(textOr(message) ?? '');
      }
      return send(request);
    };
  }

  /** Calls the step hook of the page that runs before rows are submitted. */
  async #announceSubmission(visit: Visit, send: typeof fetch): Promise<void> {
    const { fields = {} } = (await readMetadata(send, reviewOf(visit))) as { fields?: Record<string, { fileHeader: string | null; fileHeaders?: string[] }> };
    const headerMapping = Object.fromEntries(Object.entries(fields).map(([key, of]) => [key, of.fileHeaders ?? of.fileHeader]));
    const described = (visit.state.page?.fields ?? []).map(({ key, label, type }) => ({ key, label, type }));
    await this.#peer!.call('handleStepHook', 'REVIEW_STEP_PRE_SUBMIT', { headerMapping, fields: described }).catch((error: unknown) => console.error(error));
  }

  /** Hands the submitted rows over to the page. Then nothing has to remain of the import. */
  async #deliver(visit: Visit, send: typeof fetch): Promise<void> {
    const review = reviewOf(visit);
    const metadata = await readMetadata(send, review);
    const batches = readRows(send, review);
    if (this.#peer!.has('handleResultsBatch')) await this.#deliverBatches(batches, metadata);
    else await this.#peer!.call('handleResults', await joinBatches(batches), metadata);
    this.#pageHooks?.stop();
    this.#progress?.stop();
    await send(review, { method: 'DELETE' }).catch(() => {}); // the server deletes it later otherwise
  }

  /** Sends each batch when the next one has arrived, because the last one is marked. */
  async #deliverBatches(batches: AsyncIterable<Row[]>, metadata: object): Promise<void> {
    let last: Row[] = [];
    let index = 0;
    let any = false;
    for await (const batch of batches) {
      if (any) await this.#peer!.call('handleResultsBatch', last, null, index++, false);
      last = batch;
      any = true;
    }
    await this.#peer!.call('handleResultsBatch', last, metadata, index, true);
  }

  /** Ends the import and notifies the page, which hides the importer. */
  async cancel(): Promise<void> {
    const visit = this.#visit;
    visit?.cancelUpload();
    this.#pageHooks?.stop();
    this.#progress?.stop();
    if (visit?.state.current && !this.saves) void this.#send(reviewOf(visit), { method: 'DELETE' }).catch(() => {}); // the server deletes it later otherwise
    this.#unmount();
    this.#unmount = () => {};
    this.#visit = null;
    this.#endpoint = null;
    this.#root.replaceChildren();
    this.onChange();
    await this.#peer?.call('handleCancel');
  }
}

async function joinBatches(batches: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

/** Returns the path of the review that a visit shows, with a slash at the end. */
function reviewOf(visit: Visit): string {
  return `/api/review/v1/${encodeURIComponent(visit.state.current?.id ?? '')}/`;
}

/** Returns the error that tells the page why the importer cannot be opened. */
function refusalOf({ code, detail, message }: Fault): Error {
  const error = new Error(detail?.text || message);
  error.name = code === 'origin_refused' ? code : code === 'unauthorized' || code === 'backend_key' ? 'key_refused' : 'schema_refused';
  return error;
}

/** The response that the server sends if a hook cancels the submission. */
function cancelled(message: string): Response {
  return Response.json({ code: 'cancelled_by_hook', detail: message }, { status: 409 });
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' && value ? value : null;
}
