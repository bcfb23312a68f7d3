import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CellsHandle, CellTotals } from '../../cells/host';
import type { StepId } from '../steps';

/** The state of the rows that the steps share. */
export interface SubmitContext {
  /** Number of rows, and number of those with errors; 0 while unknown. */
  readonly rows: number;
  readonly errors: number;
  /** Opens a different step after all changes are saved. */
  goTo(step: StepId): void;
  /** Goes to the rows with errors. */
  showErrors(): void;
  setTotals(now: CellTotals): void;
  /** Called when the cells are removed. The other counts stay known. */
  forgetPending(): void;
  setHandle(handle: CellsHandle | null): void;
}

const Context = createContext<SubmitContext>({ rows: 0, errors: 0, goTo: () => {}, showErrors: () => {}, setTotals: () => {}, forgetPending: () => {}, setHandle: () => {} });

export const SubmitProvider = Context.Provider;
export const useSubmit = () => useContext(Context);
