import type { Message } from '../i18n/types';
import type { LayoutField, Problem, QuestionChoice } from './shapes';

// Responses contain the code and parameters of each message along with the English sentence.
// Text written by an organization has no code.

type WithMessage = Pick<Problem, 'message' | 'messageCode' | 'params'>;
type WithReason = Pick<QuestionChoice, 'reason' | 'reasonCode' | 'reasonParams'>;
type WithLabel = Pick<QuestionChoice, 'label' | 'labelCode' | 'labelParams'>;
type WithReasons = Pick<LayoutField, 'reasons' | 'reasonMessages'>;

export function messageOf({ message: text, messageCode: code, params }: WithMessage): Message {
  return { code, params, text };
}

export function reasonOf({ reason: text, reasonCode: code, reasonParams: params }: WithReason): Message {
  return { code, params, text };
}

export function labelOf({ label: text, labelCode: code, labelParams: params }: WithLabel): Message {
  return { code, params, text };
}

/** Combines all reasons into one message. */
export function reasonsOf({ reasons, reasonMessages }: WithReasons): Message {
  return { ...joined(reasonMessages), text: reasons.join('; ') };
}

/** Combines several messages into one. */
export function joined(list: readonly Message[]): Message {
  return list.length === 1 ? list[0]! : { code: 'list.clauses', params: { list } };
}
