import { Columns } from './columns/columns';
import { CellsStep } from './cells-step';
import { useReview } from './context';
import { Decisions } from './questions/decisions';
import { Reading } from './reading';

/** The step where the person is. */
export function Steps() {
  const { step } = useReview();
  switch (step) {
    case 'sheet': return <Decisions key="sheet" step="sheet" title="sheet.title"><Reading /></Decisions>;
    case 'header': return <Decisions key="header" step="header" title="header.title" />;
    case 'values': return <Decisions key="values" step="values" title="values.title" />;
    case 'columns': return <Columns />;
    case 'cells': return <CellsStep />;
  }
}
