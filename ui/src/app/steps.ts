import type { Import, Layout, Question, Questions } from '../api';

/** The steps of a review, in the order in which a file is read. */
export const stepIds = ['table', 'columns', 'values', 'cells', 'confirm'] as const;
export type OwnStepId = (typeof stepIds)[number];

/** A step that the page around the importer adds. */
export type CustomStepId = `custom:${string}`;
export type StepId = OwnStepId | CustomStepId;

/** The steps in which questions are answered. */
export type QuestionStepId = 'table' | 'columns';

/** A step that the page around the importer adds. */
export interface CustomStep {
  readonly id: CustomStepId;
  /** The step that it follows. */
  readonly after: QuestionStepId | 'values';
  readonly label: string;
}

export interface Step {
  readonly id: StepId;
  /** The name of a custom step. */
  readonly label?: string;
  /** Number of unanswered questions, or of cells to match. A custom step that was not passed counts as one. */
  readonly open: number;
  /** Whether the step can be opened. The values and the cells open when all questions are answered. */
  readonly ready: boolean;
}

/** Returns the step of a question or answer ID. */
export function stepOf(id: string): QuestionStepId {
  return /^((column|field|format|value|new):|new$|derived$)/.test(id) ? 'columns' : 'table';
}

/** Returns the questions of a step. */
export function questionsOf(questions: Questions | null, step: StepId): readonly Question[] {
  return questions?.questions.filter((one) => stepOf(one.id) === step) ?? [];
}

/** Returns the earlier answers of a step for which no question is open. */
export function decidedIn(step: QuestionStepId, layout: Layout | null, questions: Questions | null): readonly [string, string][] {
  const asked = new Set(questions?.questions.map((one) => one.id));
  return Object.entries(layout?.answers ?? {}).filter(([id]) => stepOf(id) === step && !asked.has(id));
}

/**
 * Returns the steps of an import. All imports of a file have the same steps, so that people who
 * send a file every month always find the same ones. Until the layout is loaded, the steps about
 * it cannot be opened. Values are matched before cells are changed, because the file is read again
 * afterwards. `custom` are the steps that the page around the importer adds, and `passed` the steps that
 * were completed without an answer. The rows can be opened after the custom ones.
 */
export function stepsOf(facts: Import, layout: Layout | null, questions: Questions | null, custom: readonly CustomStep[] = [], passed: ReadonlySet<StepId> = new Set()): readonly Step[] {
  const asked = facts.hasRows === false || (questions?.questions.length ?? 0) > 0;
  const waits = (among: readonly CustomStep[]) => asked || among.some((one) => !passed.has(one.id));
  const closed = waits(custom);
  const ready: Readonly<Record<OwnStepId, boolean>> = {
    table: layout !== null, columns: (layout?.columns.length ?? 0) > 0, values: !waits(custom.filter((one) => one.after !== 'values')), cells: !closed, confirm: !closed,
  };
  const unmatched = passed.has('values') ? 0 : facts.unmatchedValues ?? 0;
  const openIn = (step: StepId) => (step === 'values' ? unmatched : questionsOf(questions, step).filter((one) => one.answer === null).length);
  return stepIds.flatMap((id): Step[] => [
    ...(hasStep(id, facts, layout, questions) ? [{ id, ready: ready[id], open: openIn(id) }] : []),
    ...custom.filter((one) => one.after === id).map((one) => ({
      id: one.id, label: one.label, open: passed.has(one.id) ? 0 : 1, ready: layout !== null && (id === 'table' ? openIn('table') === 0 : !asked),
    })),
  ]);
}

function hasStep(id: OwnStepId, facts: Import, layout: Layout | null, questions: Questions | null): boolean {
  if (id === 'values') return facts.unmatchedValues !== null;
  return id === 'cells' || id === 'confirm' || hasFile(layout, questions);
}

/** Reports whether there is anything to show about the file; true if that is still unknown. */
function hasFile(layout: Layout | null, questions: Questions | null): boolean {
  if (!layout) return true;
  return layout.columns.length + layout.evidence.length + (questions?.questions.length ?? 0) + Object.keys(layout.answers).length > 0;
}

/**
 * Returns the step to continue with: the first one with something open, or the cells step
 * if there is none. Steps without open questions are skipped.
 */
export function nextStep(steps: readonly Step[]): StepId {
  return (steps.find((step) => step.open > 0) ?? steps.find((step) => step.id === 'cells' && step.ready) ?? steps.find((step) => step.ready))?.id ?? 'cells';
}

/** Returns the step before the given one that can be opened. */
export function stepBefore(steps: readonly Step[], id: StepId): StepId {
  return steps.slice(0, steps.findIndex((one) => one.id === id)).findLast((one) => one.ready)?.id ?? id;
}

/** Returns the step after the given one that has open questions or, if there is none, the next one that can be opened. */
export function stepAfter(steps: readonly Step[], id: StepId): StepId {
  const later = steps.slice(steps.findIndex((one) => one.id === id) + 1).filter((one) => one.ready);
  return (later.find((one) => one.open > 0) ?? later[0])?.id ?? id;
}
