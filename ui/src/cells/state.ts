import type { Counts, ProgressEvent, Totals } from '../api';
import type { Area, Conflict } from '../../grid';
import { allRows, type Filter } from './filter';

/** A message about an action, in the status bar. */
export interface StatusMessage {
  readonly text: string;
  /** Whether the action was rejected. */
  readonly wrong?: boolean;
  /** The button next to the message. */
  readonly turn?: 'undo' | 'redo';
  /** Whether the message is about the last change. It disappears with the next change. */
  readonly done?: boolean;
  /**
   * Whether the message reports that the server does not respond. It disappears when the
   * server responds again.
   */
  readonly unanswered?: boolean;
}

/** Everything that the page shows around the table. */
export interface State {
  readonly totals: Totals;
  readonly undo: number;
  readonly redo: number;
  readonly counts: Counts;
  /** Whether the problems have been counted. */
  readonly counted: boolean;
  /** The filter of the rows in view, and the filter requested last. */
  readonly filter: Filter;
  readonly wanted: Filter;
  readonly searching: boolean;
  /** The field by which the rows are sorted; null if they are in the order of the file. */
  readonly sort: { readonly key: string; readonly desc: boolean } | null;
  /** The keys of the hidden columns. */
  readonly hidden: ReadonlySet<string>;
  /**
   * Number of rows in view, and number of rows that match the filter now. The second number is
   * null if they are equal.
   */
  readonly total: number;
  readonly fitting: number | null;
  readonly saving: 'saved' | 'saving' | 'waiting';
  readonly pending: number;
  readonly area: Area | null;
  /** The active cell: row index in the view, and column key. */
  readonly active: { readonly row: number; readonly column: string };
  readonly conflicts: readonly Conflict[];
  readonly progress: ProgressEvent | null;
  readonly message: StatusMessage | null;
  /** Increases with each saved change to rows. */
  readonly turn: number;
  /** Increases each time the user goes to a problem. */
  readonly jumps: number;
}

export const initialState: State = {
  totals: { rows: 0, errors: 0, warnings: 0, infos: 0 },
  undo: 0, redo: 0, counts: [], counted: false,
  filter: allRows, wanted: allRows, searching: false, sort: null, hidden: new Set(),
  total: 0, fitting: null,
  saving: 'saved', pending: 0,
  area: null, active: { row: 0, column: '' },
  conflicts: [], progress: null, message: null, turn: 0, jumps: 0,
};
