import { Columns } from './columns/columns';
import { CellsStep } from './cells-step';
import { useReview } from './context';
import { QuestionStep } from './questions/question-step';
import { FileFormat } from './file-format';

/** Shows the current step. */
export function Steps() {
  const { step } = useReview();
  switch (step) {
    case 'sheet': return <QuestionStep key="sheet" step="sheet" title="sheet.title"><FileFormat /></QuestionStep>;
    case 'header': return <QuestionStep key="header" step="header" title="header.title" />;
    case 'values': return <QuestionStep key="values" step="values" title="values.title" />;
    case 'columns': return <Columns />;
    case 'cells': return <CellsStep />;
  }
}
