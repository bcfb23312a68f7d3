import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CellsHandle, CellTotals } from '../../cells/host';
import type { StepId } from '../steps';

/** The submission state that the parts of the page share. */
export interface SubmitContext {
  /** Number of rows; 0 while unknown. */
  readonly rows: number;
  /** Whether there are rows to submit. */
  readonly ready: boolean;
  readonly handle: CellsHandle | null;
  open(): void;
  /** Opens a different step after all changes are saved. */
  goTo(step: StepId): void;
  /** Goes to the rows that prevent submitting. */
  showErrors(): void;
  setTotals(now: CellTotals | null): void;
  setHandle(handle: CellsHandle | null): void;
}

const Context = createContext<SubmitContext>({ rows: 0, ready: false, handle: null, open: () => {}, goTo: () => {}, showErrors: () => {}, setTotals: () => {}, setHandle: () => {} });

export const SubmitProvider = Context.Provider;
export const useSubmit = () => useContext(Context);
