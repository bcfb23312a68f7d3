import type { Counts, ProgressEvent, Totals } from '../api';
import type { Area, Conflict } from '../../grid';
import { allRows, type Filter } from './filter';

/** A sentence about what was done, in the status line. */
export interface StatusMessage {
  readonly text: string;
  /** Whether it was refused. */
  readonly wrong?: boolean;
  /** What is offered beside it. */
  readonly turn?: 'undo' | 'redo';
  /** Whether it is about the last change, and ends with the next one. */
  readonly done?: boolean;
  /** Whether it says that the service does not answer, and ends when it does. */
  readonly unanswered?: boolean;
}

/** All that is shown around the table. */
export interface State {
  readonly totals: Totals;
  readonly undo: number;
  readonly redo: number;
  readonly counts: Counts;
  /** Whether it was counted yet what is wrong. */
  readonly counted: boolean;
  /** That of the rows in view, and the one that was asked for last. */
  readonly filter: Filter;
  readonly wanted: Filter;
  readonly searching: boolean;
  /** Rows in view, and how many fit the filter by now; null where that is the same. */
  readonly total: number;
  readonly fitting: number | null;
  readonly saving: 'saved' | 'saving' | 'waiting';
  readonly pending: number;
  readonly area: Area | null;
  /** The active cell: index in the view, and column. */
  readonly active: { readonly row: number; readonly column: string };
  readonly conflicts: readonly Conflict[];
  readonly progress: ProgressEvent | null;
  /** What takes a while, as a sentence. */
  readonly working: string;
  readonly message: StatusMessage | null;
  /** Grows with each change of rows that came to stand. */
  readonly turn: number;
  /** Grows each time that somebody was led to a problem. */
  readonly jumps: number;
}

export const initialState: State = {
  totals: { rows: 0, errors: 0, warnings: 0, infos: 0 },
  undo: 0, redo: 0, counts: [], counted: false,
  filter: allRows, wanted: allRows, searching: false,
  total: 0, fitting: null,
  saving: 'saved', pending: 0,
  area: null, active: { row: 0, column: '' },
  conflicts: [], progress: null, working: '', message: null, turn: 0, jumps: 0,
};
