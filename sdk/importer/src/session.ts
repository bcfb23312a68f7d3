import { connect, type Methods } from './connection.js';
import { explain, isReachable, startCode, watchPolicy } from './diagnosis.js';
import { ImporterError, warn, type ErrorCode } from './errors.js';
import type { Hooks, ResultMetadata, ResultRow, StepControls, StepHook } from './hook-types.js';
import { countColumnHooks, createHookRunner, listOf } from './hooks.js';
import { plain, startCall, widgetUrl, type CloseReason, type ImporterOptions } from './options.js';
import { showInline, showModal } from './view.js';

/** How long a hidden frame remains after it closed itself, so that it can finish its work, in milliseconds. */
const linger = 10_000;

/** How often to check whether the page removed the frame, in milliseconds. */
const watchInterval = 1_000;

type Callback = 'onResults' | 'onResultsBatch' | 'onCancel' | 'onEvent' | 'onError' | 'onClose';

/** One use of the importer, from opening to closing. It has a frame of its own. */
export interface Session {
  /** Settles when the importer has started or could not be started. */
  readonly ready: Promise<void>;
  /** The element that contains the frame, or null if it is in a dialog. */
  readonly parent: HTMLElement | null;
  isEnded(): boolean;
  focus(): void;
  end(reason: CloseReason): void;
}

/** Shows the frame. options returns the current options. Throws an ImporterError if they are invalid. */
export function openSession(options: () => ImporterOptions, parent: HTMLElement | null): Session {
  const { schema, title, hookTimeout = 30_000, connectTimeout = 20_000 } = options();
  const url = widgetUrl(options());
  const runner = createHookRunner(hookTimeout);
  const hooks = (): Hooks => options().hooks ?? {};
  let ended = false;
  let started = false;
  let connections = 0;
  let strangeOrigin: string | undefined;
  let received: ResultRow[] = [];
  let resolve!: () => void;
  let reject!: (error: ImporterError) => void;
  const ready = new Promise<void>((...settle) => ([resolve, reject] = settle));

  /** Calls a callback of the page and waits for it. */
  async function notify(name: Callback, ...args: unknown[]): Promise<void> {
    try {
      await (options()[name] as ((...args: unknown[]) => unknown) | undefined)?.(...args);
    } catch (error) {
      const message = `${name} failed.`;
      warn(message, error);
      if (name !== 'onError') void notify('onError', new ImporterError('callback_failed', message, error));
    }
  }

  /** Hides the importer and reports why. A frame that closed itself remains in the document for a while. */
  function end(reason: CloseReason, delay = 0, error?: ImporterError): void {
    if (ended) return;
    ended = true;
    unwatchPolicy();
    clearTimeout(timer);
    clearInterval(watch);
    view.hide();
    const remove = (): void => {
      connection.close();
      view.host.remove();
    };
    if (delay) setTimeout(remove, delay);
    else remove();
    reject(error ?? new ImporterError('closed', 'The importer was closed.'));
    if (error) void notify('onError', error);
    if (reason === 'cancel') void notify('onCancel');
    void notify('onClose', reason);
  }

  function fail(code: ErrorCode, cause?: unknown): void {
    if (ended) return;
    const error = explain(code, url, strangeOrigin, cause);
    warn(error.message, cause);
    end('error', 0, error);
  }

  /** Sends the options to the frame after it has connected. */
  async function start(): Promise<void> {
    const number = ++connections;
    try {
      const [method, ...args] = startCall(options());
      if (!connection.has(method)) return fail('protocol_mismatch');
      for (const [name, value] of setup(options(), !!parent)) {
        if (value !== undefined && connection.has(name)) await connection.call(name, value);
      }
      await connection.call(method, ...args);
    } catch (error) {
      // A frame that was reloaded starts again.
      if (number === connections) fail(startCode(error), error);
      return;
    }
    if (ended || started) return;
    started = true;
    if (!parent) frame.focus();
    resolve();
  }

  /** Delivers all results, or a batch of them. */
  async function deliver(rows: ResultRow[], metadata: ResultMetadata | null, index = 0, isLast = true): Promise<void> {
    if (ended) return;
    if (options().onResultsBatch) {
      await notify('onResultsBatch', rows, { index, isLast, metadata });
    } else {
      if (index === 0) received = [];
      for (const row of rows) received[received.length] = row;
      if (isLast) await notify('onResults', received, metadata);
    }
    if (isLast) end('results', linger);
  }

  /** The methods that the frame can call. */
  const methods: Methods = {
    handleColumnHooks: (key, cells) => runner.columns(hooks(), key, cells),
    handleRowHooks: (records, mode) => runner.rows(hooks(), records, mode),
    handleBatchRowHooks: (records, batch) => runner.batchRows(hooks(), records, batch),
    handleRowDeleteHooks: (records) => runner.rowDelete(hooks(), records),
    handleStepHook: async (step: string, data: unknown) => {
      const steps: Record<string, StepHook<any> | StepHook<any>[]> | undefined = hooks().steps;
      for (const hook of listOf(steps?.[step])) await runner.run(`steps.${step}`, hook, [controls], [data]);
    },
    hasBeforeFinishCallback: () => !!hooks().beforeFinish,
    handleBeforeFinishCallback: async (rows: ResultRow[], metadata: ResultMetadata) => {
      let canceled;
      for (const hook of listOf(hooks().beforeFinish)) {
        await runner.run('beforeFinish', hook, [rows], [metadata, controls], ({ cancel, message }) => {
          if (cancel !== true) throw new TypeError('invalid result');
          canceled = { cancel, message: String(message ?? '') };
        });
      }
      return canceled;
    },
    handleParseFileCallback: (content, filename) => runner.parse(options().fileParsers ?? [], content, filename),
    handleCustomStep: () => undefined,
    handleCustomStepMessage: async (id: string, payload: unknown) => {
      for (const step of options().customSteps ?? []) {
        if (step.id === id && step.onMessage) await runner.run(`onMessage`, step.onMessage, [controls], [payload]);
      }
    },
    handleResults: deliver,
    handleResultsBatch: deliver,
    handleUserEvent: (event) => void (ended || notify('onEvent', event)),
    handleCancel: () => end('cancel', linger),
    handleCloseModal: () => end('close', linger),
    handleError: (error) => fail(startCode(error), error),
  };

  const frame = document.createElement('iframe');
  frame.title = title ?? (schema as any).settings?.title ?? 'Import data';
  frame.allow = 'clipboard-read; clipboard-write';
  frame.src = url.href;
  const connection = connect(frame, url.origin, methods, start, (origin) => (strangeOrigin = origin));
  // Every method of the frame is a control. A member "then" would make it a promise.
  const controls = new Proxy({} as StepControls, {
    get: (_, name) => (name === 'then' ? undefined : (...args: unknown[]) => connection.call(String(name), ...plain(args))),
  });
  // The importer handles Escape itself, unless it has not started.
  const view = parent ? showInline(frame, parent) : showModal(frame, () => (started ? frame.focus() : end('cancel')), () => end('cancel'));
  let canProbe = true;
  const unwatchPolicy = watchPolicy(url.origin, (directive) => {
    if (directive === 'frame-src') fail('frame_blocked');
    if (directive === 'connect-src') canProbe = false;
  });
  const timer = setTimeout(async () => {
    if (connections) return;
    const reachable = (await isReachable(url)) || !canProbe;
    if (!connections) fail(strangeOrigin ? 'protocol_mismatch' : reachable ? 'origin_refused' : 'network');
  }, connectTimeout);
  const watch = setInterval(() => frame.isConnected || fail('frame_removed'), watchInterval);

  return { ready, parent, isEnded: () => ended, focus: () => frame.focus(), end };
}

/** Returns the calls that configure the frame before it starts. Those with the value undefined are not needed. */
function setup({ hooks = {}, fileParsers = [], customSteps = [] }: ImporterOptions, inline: boolean): [method: string, value: unknown][] {
  const bulk = listOf(hooks.bulkRows).length;
  const extensions: string[] = [];
  for (const parser of fileParsers) for (const extension of parser.extensions) extensions[extensions.length] = extension.toLowerCase();
  const steps: unknown[] = [];
  for (const { onMessage: _, ...step } of customSteps) steps[steps.length] = plain(step);
  return [
    ['setNumRegisteredRowHooks', listOf(hooks.rows).length + bulk],
    ['setNumRegisteredBulkRowHooks', bulk],
    ['setNumRegisteredBatchRowHooks', listOf(hooks.batchRows).length || undefined],
    ['setNumRegisteredColHooks', countColumnHooks(hooks.columns)],
    ['setNumRegisteredRowDeleteHooks', listOf(hooks.rowDelete).length],
    ['setCustomParserFileExtensions', extensions],
    ['setEmbedInline', inline],
    ['setCustomSteps', steps.length > 0 ? steps : undefined],
  ];
}
