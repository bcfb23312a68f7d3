import type { Error as ErrorBody, Import } from './generated/index.js';

/** The base class of the errors of this package. */
export class IntrayError extends Error {
  /** Identifies the error for programs. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/**
 * An error that the server returned. `code` is one of the API, such as `not_found`. It is
 * `http_error` if the response is not an error of Intray, for example because a proxy sent it.
 */
export class ApiError extends IntrayError {
  /** The HTTP status. */
  readonly status: number;
  /** The error as the server sent it. Undefined if `code` is `http_error`. */
  readonly body: ErrorBody | undefined;
  /** How many seconds the server asks to wait. Undefined if it does not ask. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body?: ErrorBody, retryAfter?: number) {
    const message = body ? `${body.detail} (request ${body.request_id})` : `The server returned status ${status}.`;
    super(body?.code ?? 'http_error', message);
    this.status = status;
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

/** The connection failed, also after several attempts. `cause` is the error of `fetch`. */
export class ConnectionError extends IntrayError {
  constructor(url: string, cause: unknown) {
    super('connection_failed', `The connection to ${new URL(url).origin} failed.`, { cause });
  }
}

/**
 * An import that has no result. `code` is `NEEDS_REVIEW` if a person must review the import at
 * `import.review_url`. Otherwise, the import failed, and `code` is the type of its first error,
 * such as `UNREADABLE_FILE`.
 */
export class ImportError extends IntrayError {
  readonly import: Import;

  constructor(failed: Import) {
    const first = failed.import_errors?.find((notice) => notice.level === 'error');
    const reviewed = failed.status === 'NEEDS_REVIEW';
    const message = `Import ${failed.id} ${reviewed ? 'needs a review' : 'failed'}` + (first ? `: ${first.message}` : '');
    super(reviewed || !first ? failed.status : first.type, message);
    this.import = failed;
  }
}

/**
 * A webhook message that must not be trusted. `code` is `invalid_secret`, `missing_header`,
 * `invalid_timestamp` if the message is older than 5 minutes or from the future,
 * `invalid_signature`, or `invalid_body` if the body is not JSON.
 */
export class WebhookError extends IntrayError {}

/** Reads the error in a response. */
export async function readError(response: Response): Promise<ApiError> {
  const retryAfter = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  const body: ErrorBody | undefined = await response.json().catch(() => undefined);
  return new ApiError(response.status, body?.code ? body : undefined, Number.isNaN(retryAfter) ? undefined : retryAfter);
}
