import type { Api, Events, Import } from '../api';
import type { Locale } from '../i18n/types';

/** What keeps an import from being submitted, as the Cells step knows it at the moment. */
export interface CellTotals {
  readonly rows: number;
  readonly errors: number;
  readonly warnings: number;
  /** Changes without a verdict: the page asks before it is left, and submits only when there are none. */
  readonly pending: number;
}

/** Changes that were made in the step and have no verdict as it goes. */
export interface UnsentChanges {
  readonly changes: number;
  /** The first of the cells that they are about. */
  readonly cells: readonly { readonly row: number; readonly column: string; readonly text: string }[];
  /** How many further cells. */
  readonly more: number;
  /** How many of the changes are about no cells by name. */
  readonly others: number;
}

/** What the page gives the Cells step. It stays the same object while the step is shown. */
export interface CellsHost {
  readonly api: Api;
  readonly events: Events;
  /** As it was when the step was opened. */
  readonly facts: Import;
  /** The texts of the step are chosen by locale.language. */
  readonly locale: Locale;
  /** Told whenever one of its numbers changes. */
  readonly onTotals: (now: CellTotals) => void;
  /** Told of what the step cannot go on after: unauthorized, gone. The page shows what to do. */
  readonly onFault: (fault: unknown) => void;
  /** Told of what is not saved as the step goes. */
  readonly onUnsent: (unsent: UnsentChanges) => void;
  /** Whether the service answers. */
  readonly isConnected: () => boolean;
}

/** Commands by which the page reaches into the step. */
export interface CellsHandle {
  /** Shows the rows with errors and goes to the first. */
  showErrors(): void;
  /** Waits until no change is without a verdict. */
  whenSaved(): Promise<void>;
}
