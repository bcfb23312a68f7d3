import { Fault } from '../api';
import { messageText } from '../i18n/messages';
import type { T } from './texts';

/** Returns why a call failed. */
export function faultText(t: T, cause: unknown): string {
  if (cause instanceof Fault && cause.kind === 'lost') return t('unanswered');
  if (cause instanceof Fault && cause.detail) return messageText(t, cause.detail);
  return cause instanceof Error ? cause.message : String(cause);
}
