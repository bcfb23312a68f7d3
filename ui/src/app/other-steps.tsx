import { Columns } from './columns/columns';
import { Confirm } from './confirm/confirm';
import type { OwnStepId } from './steps';
import { TableStep } from './table/table-step';
import { ValuesStep } from './values/values-step';
import './other-steps.css';

/** The steps other than the cells. Many users never see most of them, so they are loaded on demand. */
export function OtherStep({ step }: { step: Exclude<OwnStepId, 'cells'> }) {
  switch (step) {
    case 'table': return <TableStep />;
    case 'columns': return <Columns />;
    case 'values': return <ValuesStep />;
    case 'confirm': return <Confirm />;
  }
}
