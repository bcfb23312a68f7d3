import type { Column, Conflict, RowSource } from './port';
import type { Place, Range } from './ranges';
import type { Texts } from './texts';

/** What the grid tells its host. */
export type GridEvent =
  /** Rows and columns as shown; range is null in the header. */
  | { readonly type: 'selection'; readonly range: Range | null; readonly active: Place }
  /** Changes on their way; waiting: the connection is lost and they are sent again. */
  | { readonly type: 'saving'; readonly state: 'saved' | 'saving' | 'waiting'; readonly pending: number }
  | { readonly type: 'changed'; readonly cells: number; readonly kind: 'apply' | 'undo' | 'redo' }
  /** Somebody else was first; the cell shows theirs. */
  | { readonly type: 'conflict'; readonly conflict: Conflict }
  /** A change was not taken and was taken off the cells again. */
  | { readonly type: 'refused'; readonly message: string }
  /** Something to tell in the host's own place for that: what was copied, what did not fit. */
  | { readonly type: 'notice'; readonly message: string }
  | { readonly type: 'rows'; readonly total: number };

export interface GridConfig {
  readonly source: RowSource;
  readonly columns: readonly Column[];
  /** What the table is, for people who cannot see it. */
  readonly label: string;
  /** 32 by default. */
  readonly rowHeight?: number;
  /** Of numbers; "en" by default. */
  readonly locale?: string;
  /** English by default. */
  readonly texts?: Texts;
  readonly listen?: (event: GridEvent) => void;
}
