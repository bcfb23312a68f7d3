import type { Question } from '../../api';

/** Answers that were chosen but not sent, by question ID. */
export type Drafts = Readonly<Record<string, string>>;

/** Returns the current answer to a question: a draft, or else the earlier answer. */
export function currentAnswer(question: Question, drafts: Drafts): string | null {
  return drafts[question.id] ?? question.answer;
}

/** Applies a choice. If several columns are allowed, it toggles the column; "none" excludes all others. */
export function applyChoice(question: Question, drafts: Drafts, value: string): Drafts {
  if (!question.manyColumns || value === noneAnswer) return { ...drafts, [question.id]: value };
  const before = (currentAnswer(question, drafts) ?? '').split(',').filter((one) => one !== '' && one !== noneAnswer);
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  if (after.length > 0) return { ...drafts, [question.id]: after.sort((a, b) => Number(a) - Number(b)).join(',') };
  const { [question.id]: _, ...rest } = drafts;
  return rest;
}

/** The answer "none". */
export const noneAnswer = 'none';

/** Reports whether an answer includes a value. */
export function includesChoice(answer: string | null, value: string, many: boolean): boolean {
  return many ? (answer ?? '').split(',').includes(value) : answer === value;
}

/** Returns the first question without an answer, or null. */
export function firstUnanswered(questions: readonly Question[], drafts: Drafts): Question | null {
  return questions.find((one) => currentAnswer(one, drafts) === null) ?? null;
}
