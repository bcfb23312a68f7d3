/**
 * Imports files with an Intray server. `Intray` creates imports, uploads files and reads the clean
 * rows. `verifyWebhook` verifies messages of webhooks. The other types are generated from the
 * OpenAPI document of the server.
 */
export { Intray, type IntrayOptions, type Progress, type ResultFormat, type StartOptions, type WaitOptions } from './client.js';
export { ApiError, ConnectionError, ImportError, IntrayError, WebhookError } from './errors.js';
export { verifySignature, verifyWebhook, type WebhookHeaders, type WebhookMessage } from './webhook.js';
export type * from './generated/types.gen.js';
export type { Api } from './generated/index.js';
