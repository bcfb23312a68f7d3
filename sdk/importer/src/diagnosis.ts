import { ImporterError, type ErrorCode } from './errors.js';

/** Calls blocked with the directive if the content security policy of the page blocks access to the origin. Returns a function that stops it. */
export function watchPolicy(origin: string, blocked: (directive: string) => void): () => void {
  const inspect = ({ disposition, effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (disposition !== 'report' && blockedURI.startsWith(origin)) blocked(effectiveDirective);
  };
  document.addEventListener('securitypolicyviolation', inspect);
  return () => document.removeEventListener('securitypolicyviolation', inspect);
}

/** Reports whether the server responds to a request, whatever the response. */
export async function isReachable(url: URL): Promise<boolean> {
  try {
    await fetch(url, { mode: 'no-cors', credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    // The browser reports violations of the policy after the failure.
    return new Promise((resolve) => setTimeout(resolve, 100, false));
  }
}

/** Codes with which the importer in the frame can refuse to start, as the name of an error. */
const refusals = new Set<unknown>(['origin_refused', 'key_refused', 'schema_refused', 'protocol_mismatch']);

/** Returns the code for an error that occurred while the importer started. */
export function startCode(error: any): ErrorCode {
  for (const code of [error?.code, error?.name]) if (refusals.has(code)) return code;
  return error?.name === 'DataCloneError' ? 'invalid_options' : 'init_failed';
}

/** Returns an error with a message that explains what to do. */
export function explain(code: ErrorCode, url: URL, strangeOrigin: string | undefined, cause?: any): ImporterError {
  const { origin } = url;
  const messages: Partial<Record<ErrorCode, string>> = {
    network: `Cannot reach ${origin}. Check "server". It must use https if this page does.`,
    origin_refused: `${url.href} does not start on this page. Check "server", and add ${location.origin} to the allowed origins of the key.`,
    key_refused: `The server refused "key". Use a frontend key that is not revoked.`,
    schema_refused: 'The server refused "schema".',
    frame_blocked: `The content security policy of this page blocks the importer. Add ${origin} to frame-src.`,
    protocol_mismatch: `${strangeOrigin ?? origin} is not a compatible importer. Check "server", and update the server or this package.`,
    frame_removed: 'The page removed the importer. Call close() instead.',
    invalid_options: 'Options must not contain functions, except hooks and callbacks.',
  };
  const detail = cause?.message ? ` (${String(cause.message)})` : '';
  return new ImporterError(code, (messages[code] ?? 'The importer failed to start.') + detail, cause);
}
