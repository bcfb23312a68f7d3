import { Fault } from '../api';
import { messageText } from '../words/words';
import type { T } from './words';

/** Says why a call failed. */
export function faultText(t: T, cause: unknown): string {
  if (cause instanceof Fault && cause.kind === 'lost') return t('unanswered');
  if (cause instanceof Fault && cause.detail) return messageText(t, cause.detail);
  return cause instanceof Error ? cause.message : String(cause);
}
