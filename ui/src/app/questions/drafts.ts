import type { Question } from '../../api';

/** Answers that the user chose but has not sent, by question ID. */
export type Drafts = Readonly<Record<string, string>>;

/**
 * Returns the current answer to a question: the draft, or the earlier answer if there is no
 * draft.
 */
export function currentAnswer(question: Question, drafts: Drafts): string | null {
  return drafts[question.id] ?? question.answer;
}

/**
 * Applies a choice. If several columns are allowed, the choice toggles its column; "none"
 * deselects all others.
 */
export function applyChoice(question: Question, drafts: Drafts, value: string): Drafts {
  if (!question.manyColumns || value === noneAnswer) return { ...drafts, [question.id]: value };
  const before = (currentAnswer(question, drafts) ?? '').split(',').filter((one) => one !== '' && one !== noneAnswer);
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  if (after.length > 0) return { ...drafts, [question.id]: after.sort((a, b) => Number(a) - Number(b)).join(',') };
  const { [question.id]: _, ...rest } = drafts;
  return rest;
}

/** The answer that leaves a field without a column, or a column without a field. */
export const noneAnswer = 'none';

/** Reports whether an answer includes a value. */
export function includesChoice(answer: string | null, value: string, many: boolean): boolean {
  return many ? (answer ?? '').split(',').includes(value) : answer === value;
}

/** Returns the first question without an answer, or null. */
export function firstUnanswered(questions: readonly Question[], drafts: Drafts): Question | null {
  return questions.find((one) => currentAnswer(one, drafts) === null) ?? null;
}

/** Reports whether a text lists at least two positions in ascending order, counted from 1. */
export function areColumnStarts(text: string): boolean {
  const starts = text.split(',').map((one) => (/^\s*[1-9]\d{0,4}\s*$/.test(one) ? Number(one) : NaN));
  return starts.length > 1 && starts.every((one, at) => at === 0 ? one > 0 : one > starts[at - 1]!);
}
