/** Why the importer could not be used. */
export type ErrorCode =
  /** The server cannot be reached. */
  | 'network'
  /** The server does not allow this page to embed the importer, or is not an Intray server. */
  | 'origin_refused'
  /** The key is unknown, revoked or not a frontend key. */
  | 'key_refused'
  /** The schema does not exist or is invalid. */
  | 'schema_refused'
  /** The content security policy of this page blocks the frame. */
  | 'frame_blocked'
  /** The server responded, but not with a compatible importer. */
  | 'protocol_mismatch'
  /** The importer failed to start for another reason. */
  | 'init_failed'
  /** The page removed the frame from the document. */
  | 'frame_removed'
  /** An option has an invalid value. */
  | 'invalid_options'
  /** A callback of the page, such as `onResults`, threw an exception. */
  | 'callback_failed'
  /** The importer was closed before it had started. Only the promise of `open` reports this. */
  | 'closed';

/** An error with a code, and a message for developers that explains what to do. */
export class ImporterError extends Error {
  override readonly name = 'ImporterError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Writes a warning to the console. */
export function warn(message: string, detail?: unknown): void {
  console.warn(`[intray] ${message}`, detail ?? '');
}
