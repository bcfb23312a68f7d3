import type { Api, Events, Import } from '../api';
import type { Locale } from '../i18n/types';

/** The counts that decide whether the import can be submitted. */
export interface CellTotals {
  readonly rows: number;
  readonly errors: number;
  readonly warnings: number;
  /**
   * Number of unsaved changes. The page warns before users leave, and waits for the changes
   * before submitting.
   */
  readonly pending: number;
}

/** The changes that are unsaved when the step is removed. */
export interface UnsentChanges {
  readonly changes: number;
  /** The first changed cells. */
  readonly cells: readonly { readonly row: number; readonly column: string; readonly text: string }[];
  /** Number of changed cells that are not listed. */
  readonly more: number;
  /** Number of changes other than edits to individual cells. */
  readonly others: number;
}

/**
 * The data and callbacks that the page provides to the cells step. The object stays the
 * same while the step is shown.
 */
export interface CellsHost {
  readonly api: Api;
  readonly events: Events;
  /** The import as it was when the step was opened. */
  readonly facts: Import;
  /** The locale of the text in the step. */
  readonly locale: Locale;
  /** What people may not do with rows. */
  readonly forbids?: { readonly adding?: boolean; readonly removing?: boolean } | undefined;
  /** Called when a count changes. */
  readonly onTotals: (now: CellTotals) => void;
  /** Called on faults that end the step. The page shows what to do. */
  readonly onFault: (fault: unknown) => void;
  /** Called with the unsaved changes when the step is removed. */
  readonly onUnsent: (unsent: UnsentChanges) => void;
  /** Reports whether the server responds. */
  readonly isConnected: () => boolean;
}

/** Commands that the page can send to the step. */
export interface CellsHandle {
  /** Shows the rows with errors and scrolls to the first one. */
  showErrors(): void;
  /** Resolves when all changes are saved. */
  whenSaved(): Promise<void>;
}
