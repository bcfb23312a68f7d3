import { Fault, faultOf } from '../api';

export interface UploadProgress {
  readonly sent: number;
  readonly total: number;
  /** Bytes per second over the last seconds; 0 until it can be measured. */
  readonly rate: number;
  /** Whether the connection is lost. The upload continues as soon as it is back. */
  readonly lost: boolean;
}

export interface UploadOptions {
  /** URL of an unfinished upload to continue. By default, a new one begins. */
  readonly resume?: string;
  /** URL at which a direct upload to the bucket of the server can be created. By default, the server receives the file. */
  readonly direct?: string;
  /** Receives the URL of a new upload, which can be continued later. */
  readonly onBegun?: (address: string) => void;
}

/** The period over which the rate is measured, in milliseconds. */
const window = 5000;
/** Size of a chunk in bytes. Smaller files are sent in one request. */
const chunkSize = 8 << 20;
/** After this time without progress, the connection counts as lost, in milliseconds. */
const patience = 60_000;
/** After this time without a connection to the bucket, the server receives the file, in milliseconds. */
const bucketPatience = 15_000;
const protocol = { 'Tus-Resumable': '1.0.0' };

/**
 * Uploads a file by the tus protocol. If the connection is lost, the upload continues as soon as it is
 * back. Throws a Fault if the file was refused, an AbortError if the signal aborted the upload, and
 * another error if the file cannot be read any more.
 */
export async function uploadFile(url: string, file: Blob, onProgress: (progress: UploadProgress) => void, signal: AbortSignal, options: UploadOptions = {}): Promise<void> {
  if (options.direct && !options.resume && file.size > chunkSize && (await sendDirectly(options.direct, file, onProgress, signal))) return;
  let address = options.resume ?? '';
  let offset = 0;
  for (let failures = 0; ;) {
    const rate = new RateMeter();
    const show = (sent: number, lost = false) => onProgress({ sent, total: file.size, rate: lost ? 0 : rate.add(sent, performance.now()), lost });
    try {
      if (address) ({ address, offset } = await offsetOf(address, signal));
      if (!address) {
        address = await begin(url, file.size, signal);
        offset = 0;
        options.onBegun?.(address);
      }
      for (show(offset); offset < file.size; failures = 0) {
        offset = await sendChunk(address, file.slice(offset, offset + chunkSize), offset, show, signal);
      }
      return;
    } catch (error) {
      if (!(error instanceof Fault && canRetry(error))) throw error;
      show(offset, true);
      await file.slice(offset, offset + 1).arrayBuffer(); // throws if the file was changed or deleted
      await pause(retryDelay(failures++), signal);
    }
  }
}

/**
 * Sends a file to the bucket of the server. Returns false if that is not possible, for example because the
 * bucket does not accept requests from this page.
 */
async function sendDirectly(url: string, file: Blob, onProgress: (progress: UploadProgress) => void, signal: AbortSignal): Promise<boolean> {
  const rate = new RateMeter();
  const show = (sent: number, lost = false) => onProgress({ sent, total: file.size, rate: lost ? 0 : rate.add(sent, performance.now()), lost });
  try {
    const created = (await post(url, { size: file.size }, signal)) as { url: string; headers: Record<string, string>; commit: string };
    const stored = await transfer('PUT', created.url, created.headers, file, show, signal, bucketPatience);
    const etag = stored.getResponseHeader('ETag');
    if (stored.status !== 200 || !etag) throw new Error(`The bucket returned the status ${stored.status} and the ETag ${etag}.`);
    for (let failures = 0; ;) {
      try {
        await post(created.commit, { etag }, signal);
        return true;
      } catch (error) {
        if (!(error instanceof Fault && error.kind === 'lost')) throw error;
        show(file.size, true);
        await pause(retryDelay(failures++), signal);
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
    console.debug('The file cannot be sent directly to the bucket, so it is sent to the server.', error);
    return false;
  }
}

/** Sends an object and returns the response, or null if it has no body. */
async function post(url: string, body: object, signal: AbortSignal): Promise<unknown> {
  const response = await request(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body), signal });
  const answer = parse(await response.text());
  if (!response.ok) throw faultOf(response.status, answer);
  return answer;
}

function canRetry({ kind, code, status }: Fault): boolean {
  return kind === 'lost' || code === 'wrong_offset' || status === 408 || status === 423;
}

/** Begins an upload and returns its URL. */
async function begin(url: string, size: number, signal: AbortSignal): Promise<string> {
  const response = await request(url, { method: 'POST', headers: { ...protocol, 'Upload-Length': String(size) }, signal });
  if (!response.ok) throw faultOf(response.status, parse(await response.text()));
  return new URL(response.headers.get('Location')!, url).href;
}

/** Returns how much of an upload has arrived. The address is '' if the upload no longer exists. */
async function offsetOf(address: string, signal: AbortSignal): Promise<{ address: string; offset: number }> {
  const response = await request(address, { method: 'HEAD', headers: protocol, signal });
  if (response.ok) return { address, offset: Number(response.headers.get('Upload-Offset')) };
  // The response to a HEAD request has no body that explains the error.
  if (response.status >= 500 || [408, 423, 429].includes(response.status)) throw new Fault('lost');
  return { address: '', offset: 0 };
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, cache: 'no-store' });
  } catch (error) {
    throw init.signal?.aborted ? cancelled() : new Fault('lost');
  }
}

/** Sends a chunk and returns the number of bytes that the server has stored. */
async function sendChunk(address: string, chunk: Blob, offset: number, show: (sent: number) => void, signal: AbortSignal): Promise<number> {
  const headers = { ...protocol, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' };
  const sent = await transfer('PATCH', address, headers, chunk, (bytes) => show(offset + bytes), signal, patience);
  if (sent.status !== 204) throw faultOf(sent.status, parse(sent.responseText));
  return Number(sent.getResponseHeader('Upload-Offset'));
}

/** Sends a body and returns the request with its response. `start` is how long the first bytes may take, in milliseconds. */
function transfer(method: string, address: string, headers: Record<string, string>, body: Blob, show: (sent: number) => void, signal: AbortSignal, start: number): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch does not report the progress of a request body
    const abort = () => request.abort();
    let timer = setTimeout(abort, start);
    request.open(method, address);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => {
      clearTimeout(timer);
      timer = setTimeout(abort, patience);
      show(loaded);
    };
    request.onload = () => resolve(request);
    request.onerror = () => reject(new Fault('lost'));
    request.onabort = () => reject(signal.aborted ? cancelled() : new Fault('lost'));
    request.onloadend = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    signal.addEventListener('abort', abort);
    if (signal.aborted) reject(cancelled());
    else request.send(body);
  });
}

/** Returns how long to wait after a number of failures, in milliseconds. */
const retryDelay = (failures: number) => Math.min(500 * 2 ** failures, 15_000);

/** Waits for a time in milliseconds, or until the browser is online again. */
function pause(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(cancelled());
      else resolve();
    };
    const timer = setTimeout(end, time);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

const cancelled = () => new DOMException('The upload was cancelled.', 'AbortError');

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a proxy may answer with a page
  }
}

/** Measures the rate of an upload over the last seconds. */
export class RateMeter {
  #samples: { readonly at: number; readonly sent: number }[] = [];

  /** Adds the number of bytes sent so far at a time in milliseconds. Returns bytes per second. */
  add(sent: number, at: number): number {
    this.#samples.push({ at, sent });
    while (this.#samples.length > 2 && at - this.#samples[1]!.at > window) this.#samples.shift();
    const first = this.#samples[0]!;
    return at - first.at < 500 ? 0 : ((sent - first.sent) * 1000) / (at - first.at);
  }
}
