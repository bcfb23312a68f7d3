import { WebhookError } from './errors.js';
import type {
  HeadlessImportFailedMessage,
  HeadlessImportNeedsReviewMessage,
  ImportCompletedMessage,
  SftpConnectorFailedMessage,
  SftpDeliveryFailedMessage,
  WebhookDisabledMessage,
} from './generated/index.js';

/** How many seconds the time of a message can differ from the time of this machine. */
const tolerance = 5 * 60;

/** The headers of a request: those of `fetch` or of Node. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** A message of a webhook. Later versions of Intray may send other events. */
export type WebhookMessage =
  | HeadlessImportFailedMessage
  | HeadlessImportNeedsReviewMessage
  | ImportCompletedMessage
  | SftpConnectorFailedMessage
  | SftpDeliveryFailedMessage
  | WebhookDisabledMessage;

/**
 * Verifies the signature of a message and parses it.
 *
 * @param secret The secret of the webhook.
 * @param headers The headers of the request.
 * @param body The body of the request, exactly as received.
 * @throws WebhookError if the message must not be trusted.
 */
export async function verifyWebhook(secret: string, headers: WebhookHeaders, body: string | Uint8Array): Promise<WebhookMessage> {
  await verifySignature(secret, headers, body);
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch (cause) {
    throw new WebhookError('invalid_body', 'The body of the message is not JSON.', { cause });
  }
}

/**
 * Verifies the signature and the time of a message. Use it instead of `verifyWebhook` for the forms
 * that Intray sends to the URLs in schema settings.
 *
 * @param now The time of this machine.
 * @throws WebhookError if the message must not be trusted.
 */
export async function verifySignature(secret: string, headers: WebhookHeaders, body: string | Uint8Array, now = new Date()): Promise<void> {
  const raw = decode(secret.replace(/^whsec_/, ''));
  if (!raw?.byteLength) throw new WebhookError('invalid_secret', 'The secret of the webhook must be whsec_ and base64.');
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => header(headers, name));
  if (!id || !timestamp || !signatures) {
    throw new WebhookError('missing_header', 'The message lacks one of the headers webhook-id, webhook-timestamp and webhook-signature.');
  }
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(now.getTime() / 1000 - Number(timestamp)) > tolerance) {
    throw new WebhookError('invalid_timestamp', 'The message is not from the last 5 minutes.');
  }
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), typeof body === 'string' ? new TextEncoder().encode(body) : body);
  // During the rotation of a secret, there are several signatures.
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? decode(signature.slice(3)) : undefined;
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return;
  }
  throw new WebhookError('invalid_signature', 'No signature of the message matches the secret.');
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const key = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value.join(' ') : value;
}

/** Reports whether the headers have the methods of `Headers`, from whichever library. */
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === 'function';
}

/** Decodes base64. Returns undefined if the text is invalid. */
function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenate(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(a.byteLength + b.byteLength);
  all.set(a);
  all.set(b, a.byteLength);
  return all;
}
