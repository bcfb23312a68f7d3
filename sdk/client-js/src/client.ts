import { ApiError, ImportError } from './errors.js';
import { createClient, createConfig } from './generated/client/index.js';
import { Api, type GetImportResultData, type Import, type ImportDraft, type ImportStatus } from './generated/index.js';
import { type Fetch, send, sleep } from './retry.js';
import { lines } from './lines.js';

/** Polling an import starts with this delay in milliseconds between two requests. */
const firstPoll = 200;
/** Polling slows down to this delay in milliseconds. */
const maxPoll = 5000;
/** Files of more bytes are sent directly to the bucket of the server if it allows that. */
const directAbove = 8 << 20;

export interface IntrayOptions {
  /** The base URL of the server, such as `http://127.0.0.1:8080`. */
  server: string;
  /** A backend API key. It is sent only to the server. Never use it in a web page. */
  key: string;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
}

/** Describes an import that has not ended. */
export interface Progress {
  status: ImportStatus;
  /** How much of the file is sent. Only during the upload. */
  sentBytes?: number;
  /** The size of the file. Only during the upload. */
  totalBytes?: number;
}

export interface StartOptions {
  /** The name of the file. Default: the name of a `File`. */
  name?: string;
  /**
   * Identifies the import. If your program ends during an import and calls `importFile` again with
   * the same key within 72 hours, it continues the same import. Default: a random key.
   */
  idempotencyKey?: string;
  /** Is called during the upload and when the status of the import changes. */
  onProgress?: (progress: Progress) => void;
  /** Ends the work with the reason of the signal. The import continues on the server. */
  signal?: AbortSignal;
}

export interface WaitOptions {
  /** Is called when the status of the import changes. */
  onProgress?: (progress: Progress) => void;
  /**
   * Is called once if a person must review the import, for example to send them `review_url`. The
   * client then waits until the person submits the import. Without `onReview`, an `ImportError` is
   * thrown.
   */
  onReview?: (reviewed: Import) => void | Promise<void>;
  /** Ends the work with the reason of the signal. The import continues on the server. */
  signal?: AbortSignal;
}

/** The response of the server if a file can be sent directly to its bucket. */
interface DirectUpload {
  url: string;
  headers: Record<string, string>;
  commit: string;
}

/** The format of a result. */
export type ResultFormat = NonNullable<NonNullable<GetImportResultData['query']>['format']>;

/**
 * Calls an Intray server.
 *
 * The client retries a request up to four times if the connection fails or the server cannot process it at
 * the moment. This is safe: each POST has an `Idempotency-Key`, so the server processes it once, and
 * a DELETE is retried only if the server has refused it.
 */
export class Intray {
  /** Calls the operations of the server. Its methods throw an `ApiError` unless they succeed. */
  readonly api: Api;
  readonly #fetch: Fetch;

  constructor({ server, key, fetch = globalThis.fetch }: IntrayOptions) {
    if (!/^https?:\/\//.test(server)) throw new TypeError('server must be a URL that starts with http:// or https://');
    if (!key?.startsWith('bk_')) throw new TypeError('key must be a backend API key, which starts with bk_');
    this.#fetch = (...request) => fetch(...request);
    const config = createConfig({
      baseUrl: server.replace(/\/+$/, ''),
      auth: key,
      throwOnError: true,
      redirect: 'manual', // a redirect would receive the key
      fetch: (request) => this.#sendRepeatable(request as Request),
    });
    this.api = new Api({ client: createClient(config) });
  }

  /**
   * Creates an import, uploads the file and waits until the import is SUCCESSFUL. `rows` and
   * `download` then return the result.
   *
   * @param schema The id of a saved schema, or an object with `fields` and, optionally, `settings`
   *   and `hooks`.
   * @param file The content of the file. In Node, `fs.openAsBlob` opens a file of any size.
   * @throws ImportError if the import failed or needs a review.
   */
  async importFile(schema: string | ImportDraft, file: Blob | Uint8Array<ArrayBuffer>, options: StartOptions & WaitOptions = {}): Promise<Import> {
    const { id } = await this.startImport(schema, file, options);
    return this.waitForImport(id, options);
  }

  /**
   * Creates an import and uploads the file. Returns when the server has stored the file. Use it
   * if a webhook reports the end of the import.
   */
  async startImport(schema: string | ImportDraft, file: Blob | Uint8Array<ArrayBuffer>, options: StartOptions = {}): Promise<Import> {
    const { idempotencyKey, onProgress, signal } = options;
    const draft = typeof schema === 'string' ? { schema_id: schema } : schema;
    const blob = file instanceof Blob ? file : new Blob([file]);
    const name = options.name ?? (file instanceof File ? file.name : undefined);
    const { data: created, response } = await this.api.createImport({
      body: name ? { ...draft, original_filename: name } : draft,
      headers: idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {},
      signal,
    });
    if (!created.upload) throw new ApiError(response.status); // a proxy has sent it
    try {
      await this.#upload(created, blob, onProgress, signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'expired') {
        // The server repeated an old response to the same Idempotency-Key.
        const { data: current } = await this.api.getImport({ path: { id: created.id }, signal });
        if (current.status !== 'AWAITING_UPLOAD') return current; // an earlier attempt has uploaded the file
        await this.#upload(current, blob, onProgress, signal);
      } else if (error.code !== 'already_uploaded') { // an earlier attempt has uploaded the file
        throw error;
      }
    }
    return created;
  }

  /**
   * Polls an import until it is SUCCESSFUL.
   *
   * @throws ImportError if the import failed or needs a review.
   */
  async waitForImport(id: string, { onProgress, onReview, signal }: WaitOptions = {}): Promise<Import> {
    let status: ImportStatus | undefined;
    let reviewed = false;
    for (let delay = firstPoll; ; delay = Math.min(delay * 1.5, maxPoll)) {
      const { data: current } = await this.api.getImport({ path: { id }, signal });
      if (current.status !== status) onProgress?.({ status: current.status });
      status = current.status;
      if (status === 'SUCCESSFUL') return current;
      if (status === 'FAILED' || (status === 'NEEDS_REVIEW' && !onReview)) throw new ImportError(current);
      if (status === 'NEEDS_REVIEW' && !reviewed) {
        reviewed = true;
        await onReview?.(current);
      }
      await sleep(delay, signal);
    }
  }

  /**
   * Reads the rows of a SUCCESSFUL import, in order, without reading all of them into memory.
   * Row is the type of a row, by field key. It is not checked.
   */
  async *rows<Row = Record<string, unknown>>(importId: string, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<Row, void, void> {
    const { body } = await this.download(importId, 'ndjson', { signal });
    for await (const line of lines(body!)) yield JSON.parse(line);
  }

  /**
   * Requests the result of a SUCCESSFUL import. The body of the response is the file. Reading it
   * fails if the result is incomplete.
   */
  async download(importId: string, format: ResultFormat = 'json', { signal }: { signal?: AbortSignal } = {}): Promise<Response> {
    const { data } = await this.api.getImportResult({ path: { id: importId }, query: { format }, signal });
    const url = data.presigned_url;
    return send({ method: 'GET', url, signal }, () => this.#fetch(url, { signal, redirect: 'manual' }), sleep);
  }

  /** Sends a request of the generated code. */
  #sendRepeatable(request: Request): Promise<Response> {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    }
    return send(request, () => this.#fetch(request.clone()), sleep);
  }

  /** Uploads the file of an import. */
  async #upload({ upload, direct_upload: direct }: Import, file: Blob, onProgress?: (progress: Progress) => void, signal?: AbortSignal): Promise<void> {
    const report = (sentBytes: number) => onProgress?.({ status: 'AWAITING_UPLOAD', sentBytes, totalBytes: file.size });
    if (direct && file.size > directAbove && (await this.#uploadDirectly(direct, file, report, signal))) return;
    const put = () => this.#put(upload, { 'Content-Type': 'application/octet-stream' }, file, report, signal);
    const response = await send({ method: 'PUT', url: upload, signal }, put, sleep);
    await response.body?.cancel();
  }

  /**
   * Sends a file to the bucket of the server. Returns false if that fails, for example because the bucket
   * cannot be reached from here.
   */
  async #uploadDirectly(url: string, file: Blob, report: (bytes: number) => void, signal?: AbortSignal): Promise<boolean> {
    try {
      const create = () => this.#post(url, { size: file.size }, signal);
      const created = (await (await send({ method: 'POST', url, signal }, create, sleep)).json()) as DirectUpload;
      const stored = await this.#put(created.url, created.headers, file, report, signal);
      await stored.body?.cancel();
      if (!stored.ok) return false;
      const commit = () => this.#post(created.commit, { etag: stored.headers.get('ETag') ?? '' }, signal);
      await send({ method: 'POST', url: created.commit, signal }, commit, sleep);
      return true;
    } catch {
      signal?.throwIfAborted();
      return false;
    }
  }

  /** Sends an object to a signed URL, which can be done repeatedly. */
  #post(url: string, body: object, signal?: AbortSignal): Promise<Response> {
    const headers = { 'Content-Type': 'application/json' };
    return this.#fetch(url, { method: 'POST', headers, body: JSON.stringify(body), redirect: 'error', signal });
  }

  /** Sends a file to a signed URL. */
  #put(url: string, headers: Record<string, string>, file: Blob, report: (bytes: number) => void, signal?: AbortSignal): Promise<Response> {
    // Unless the request forbids redirects and has no window, Node keeps the whole file in memory.
    const init = { method: 'PUT', duplex: 'half', redirect: 'error', window: null, signal } as const;
    return this.#fetch(url, { ...init, headers: { ...headers, 'Content-Length': String(file.size) }, body: counted(file, report) } as RequestInit);
  }
}

/** Returns a stream of a file that reports how many bytes were read. */
function counted(file: Blob, report: (bytes: number) => void): ReadableStream<Uint8Array> {
  let bytes = 0;
  return file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array>({
      transform(chunk, controller) {
        report((bytes += chunk.byteLength));
        controller.enqueue(chunk);
      },
    }),
  );
}
