import { joined, messageOf, reasonOf, type Question } from '../../api';
import type { Message } from '../../i18n/types';
import type { T } from '../context';
import { noneAnswer } from './drafts';

/** The explanation of a question and the reasons of its choices. */
export interface Explanation {
  readonly message: Message;
  reasonOf(value: string): Message | null;
}

/**
 * Explains a question. If its message lists columns with reasons, the reasons that all
 * columns share stay in the message, and the other reasons move to the choices.
 */
export function explain(question: Pick<Question, 'message' | 'messageCode' | 'params' | 'choices'>, t: T): Explanation {
  const message = messageOf(question);
  const given = new Map(question.choices.map((one) => [one.value, one.reason ? reasonOf(one) : null]));
  const whole = { message, reasonOf: (value: string) => given.get(value) ?? null };
  // Nested reasons have no English sentences, so the catalogue is needed.
  if (!t.locale.renderMessage?.(message)) return whole;
  const columns = columnsOf(message);
  if (!columns) return whole;
  const all = [...columns.reasons.values()];
  const shared = all.length > 1 ? all[0]!.filter((reason) => all.every((list) => includes(list, reason))) : [];
  const { n } = columns;
  const text = shared.length > 0 ? t('choices.severalAs', { n, why: t.locale.renderMessage(joined(shared)) ?? '' }) : t('choices.several', { n });
  return {
    message: { text },
    reasonOf: (value) => {
      const own = columns.reasons.get(value)?.filter((reason) => !includes(shared, reason)) ?? [];
      return own.length > 0 ? joined(own) : whole.reasonOf(value);
    },
  };
}

/** Message codes that list the candidate columns of a field. */
const columnQuestions: ReadonlySet<string | undefined> = new Set(['question.column_uncertain', 'question.columns_uncertain', 'question.columns_fit_field']);

/** Returns the reasons for each column in a message, by column index, and the number of columns. */
function columnsOf({ code, params = {} }: Message): { reasons: Map<string, readonly Message[]>; n: number } | null {
  if (!columnQuestions.has(code)) return null;
  const { list, more } = listOf(params.columns ?? params.column);
  const reasons = new Map(list.map(({ params: of = {} }) => [String(Number(of.column) - 1), listOf(of.reason).list]));
  return { reasons, n: list.length + more };
}

/**
 * Returns the messages in a parameter (one message, a list, or a message with a list), and
 * the number of messages that are not listed.
 */
function listOf(param: unknown): { list: readonly Message[]; more: number } {
  if (!param || typeof param !== 'object') return { list: [], more: 0 };
  if (Array.isArray(param)) return { list: param, more: 0 };
  const { code, params = {} } = param as Message;
  if (code === 'list.more') return { ...listOf(params.list), more: Number(params.n) };
  return code === 'list.clauses' ? listOf(params.list) : { list: [param as Message], more: 0 };
}

function includes(list: readonly Message[], reason: Message): boolean {
  const text = JSON.stringify(reason);
  return list.some((one) => JSON.stringify(one) === text);
}

/**
 * Reports whether a choice is suggested: it is the likeliest one, and its reason, which the page
 * shows below it, does not apply to the next one. Sheets are not ranked. Columns for a field that no header
 * matches have a reason only if their values distinguish them.
 */
export function isSuggested({ id, choices: [first, second] }: Pick<Question, 'id' | 'choices'>, value: string, { reasonOf }: Explanation): boolean {
  if (!first || !second || value !== first.value || value === noneAnswer || id === 'sheet') return false;
  const reason = reasonOf(value);
  return reason !== null && JSON.stringify(reason) !== JSON.stringify(reasonOf(second.value));
}
