import type { Question } from '../../api';

/** What a person chose and has not sent, by the id of the question. */
export type Drafts = Readonly<Record<string, string>>;

/** The choice of a question as it stands: a draft, else what was answered before. */
export function currentAnswer(question: Question, drafts: Drafts): string | null {
  return drafts[question.id] ?? question.answer;
}

/** Takes a choice. Where several are taken, a column comes or goes; none leaves no other. */
export function applyChoice(question: Question, drafts: Drafts, value: string): Drafts {
  if (!question.manyColumns || value === noneAnswer) return { ...drafts, [question.id]: value };
  const before = (currentAnswer(question, drafts) ?? '').split(',').filter((one) => one !== '' && one !== noneAnswer);
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  if (after.length > 0) return { ...drafts, [question.id]: after.sort((a, b) => Number(a) - Number(b)).join(',') };
  const { [question.id]: _, ...rest } = drafts;
  return rest;
}

/** The answer that there is none. */
export const noneAnswer = 'none';

/** Whether a choice is among those that stand. */
export function includesChoice(answer: string | null, value: string, many: boolean): boolean {
  return many ? (answer ?? '').split(',').includes(value) : answer === value;
}

/** The first question without a choice, or null. */
export function firstUnanswered(questions: readonly Question[], drafts: Drafts): Question | null {
  return questions.find((one) => currentAnswer(one, drafts) === null) ?? null;
}
