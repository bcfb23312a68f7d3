import { Columns } from './columns/columns';
import { FileFormat } from './file-format';
import { FileTop } from './file-top';
import { QuestionStep } from './questions/question-step';
import type { StepId } from './steps';

/** The steps before the cells. Most users never see them, so they are loaded on demand. */
export function EarlyStep({ step }: { step: Exclude<StepId, 'cells'> }) {
  switch (step) {
    case 'sheet': return <QuestionStep key="sheet" step="sheet" title="sheet.title"><FileFormat /></QuestionStep>;
    case 'header': return <QuestionStep key="header" step="header" title="header.title" picker={FileTop} />;
    case 'values': return <QuestionStep key="values" step="values" title="values.title" />;
    case 'columns': return <Columns />;
  }
}
