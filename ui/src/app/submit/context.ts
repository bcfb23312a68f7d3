import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CellsHandle, CellTotals } from '../../cells/host';
import type { StepId } from '../steps';

/** What the page knows of the way out. */
export interface SubmitContext {
  /** How many rows there are; 0 while nobody knows. */
  readonly rows: number;
  /** Whether there are rows to submit. */
  readonly ready: boolean;
  readonly handle: CellsHandle | null;
  open(): void;
  /** Leads to another step, once all that was changed is saved. */
  goTo(step: StepId): void;
  /** Leads to the rows that keep the import from being submitted. */
  showErrors(): void;
  setTotals(now: CellTotals | null): void;
  setHandle(handle: CellsHandle | null): void;
}

const Context = createContext<SubmitContext>({ rows: 0, ready: false, handle: null, open: () => {}, goTo: () => {}, showErrors: () => {}, setTotals: () => {}, setHandle: () => {} });

export const SubmitProvider = Context.Provider;
export const useSubmit = () => useContext(Context);
