import type { Import, Layout, Question, Questions } from '../api';

/** The steps of a review, in the order in which a file is read. */
export const stepIds = ['sheet', 'header', 'columns', 'values', 'cells'] as const;
export type StepId = (typeof stepIds)[number];

export interface Step {
  readonly id: StepId;
  /** Number of unanswered questions. */
  readonly open: number;
  /** Whether the step can be opened. The cells open when all questions are answered. */
  readonly ready: boolean;
}

/** Returns the step of a question or answer ID. */
export function stepOf(id: string): Exclude<StepId, 'cells'> {
  if (id === 'header_row') return 'header';
  if (id.startsWith('column:') || id.startsWith('field:')) return 'columns';
  if (id.startsWith('format:') || id.startsWith('value:')) return 'values';
  return 'sheet';
}

/** Returns the questions of a step. */
export function questionsOf(questions: Questions | null, step: StepId): readonly Question[] {
  return questions?.questions.filter((one) => stepOf(one.id) === step) ?? [];
}

/** Returns the earlier answers of a step for which no question is open. */
export function decidedIn(step: StepId, layout: Layout | null, questions: Questions | null): readonly [string, string][] {
  const asked = new Set(questions?.questions.map((one) => one.id));
  return Object.entries(layout?.answers ?? {}).filter(([id]) => stepOf(id) === step && !asked.has(id));
}

/** Returns the steps that this import needs, including answered ones. */
export function stepsOf(facts: Import, layout: Layout | null, questions: Questions | null): readonly Step[] {
  const asked = (questions?.questions.length ?? 0) > 0;
  return stepIds.filter((id) => isNeeded(id, layout, questions)).map((id) => ({
    id,
    open: questionsOf(questions, id).filter((one) => one.answer === null).length,
    ready: id === 'cells' ? canReview(facts, asked) : true,
  }));
}

function canReview(facts: Import, asked: boolean): boolean {
  return facts.hasRows !== false && !asked;
}

function isNeeded(id: StepId, layout: Layout | null, questions: Questions | null): boolean {
  if (id === 'cells') return true;
  if (questionsOf(questions, id).length > 0 || decidedIn(id, layout, questions).length > 0) return true;
  if (id === 'columns') return (layout?.columns.length ?? 0) > 0;
  return id === 'sheet' && (layout?.evidence.some((one) => one.choice === 'sheet' && one.rivals.length > 0) ?? false);
}

/**
 * Returns the step to continue with: the first one with an open question, or the cells step
 * if there is none.
 */
export function nextStep(steps: readonly Step[]): StepId {
  return (steps.find((step) => step.open > 0) ?? steps.find((step) => step.id === 'cells' && step.ready) ?? steps[0])?.id ?? 'cells';
}
