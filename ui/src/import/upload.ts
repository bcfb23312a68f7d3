import { Fault, faultOf } from '../api';

export interface UploadProgress {
  readonly sent: number;
  readonly total: number;
  /** Bytes per second over the last seconds; 0 until it can be measured. */
  readonly rate: number;
}

/** The period over which the rate is measured, in milliseconds. */
const window = 5000;

/**
 * Uploads a file with one PUT request. Throws a Fault if the upload failed, and an AbortError if
 * the signal aborted it.
 */
export function uploadFile(url: string, file: Blob, onProgress: (progress: UploadProgress) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch does not report the progress of a request body
    const rate = new RateMeter();
    request.open('PUT', url);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded }) => onProgress({ sent: loaded, total: file.size, rate: rate.add(loaded, performance.now()) });
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(faultOf(request.status, parse(request.responseText)));
    };
    request.onerror = () => reject(new Fault('lost'));
    request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) request.abort();
    else request.send(file);
  });
}

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
