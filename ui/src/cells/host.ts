import type { Api, Events, Import } from '../api';
import type { Locale } from '../i18n/types';

/** Current counts that decide whether the import can be submitted. */
export interface CellTotals {
  readonly rows: number;
  readonly errors: number;
  readonly warnings: number;
  /** Number of changes without a verdict. The page warns before leaving and waits for them before submitting. */
  readonly pending: number;
}

/** Changes without a verdict when the step is removed. */
export interface UnsentChanges {
  readonly changes: number;
  /** The first changed cells. */
  readonly cells: readonly { readonly row: number; readonly column: string; readonly text: string }[];
  /** Number of changed cells not listed. */
  readonly more: number;
  /** Number of changes not of individual cells. */
  readonly others: number;
}

/** What the page provides to the cells step. The object stays the same while the step is shown. */
export interface CellsHost {
  readonly api: Api;
  readonly events: Events;
  /** The import when the step was opened. */
  readonly facts: Import;
  /** Its language selects the texts of the step. */
  readonly locale: Locale;
  /** Called when a count changes. */
  readonly onTotals: (now: CellTotals) => void;
  /** Called on faults that end the step: unauthorized, gone. The page shows what to do. */
  readonly onFault: (fault: unknown) => void;
  /** Called with the unsaved changes when the step is removed. */
  readonly onUnsent: (unsent: UnsentChanges) => void;
  /** Reports whether the service responds. */
  readonly isConnected: () => boolean;
}

/** Commands of the page to the step. */
export interface CellsHandle {
  /** Shows the rows with errors and goes to the first one. */
  showErrors(): void;
  /** Resolves when no change is without a verdict. */
  whenSaved(): Promise<void>;
}
