import type { Column, Conflict, Row, RowSource, RowWindow, Spot } from './row-source';
import type { Place, Range } from './ranges';
import type { Texts } from './texts';

/** Events that the grid reports to its host. */
export type GridEvent =
  /** Rows and columns in display order. range is null while the header is active. */
  | { readonly type: 'selection'; readonly range: Range | null; readonly active: Place }
  /**
   * The saving state. While the connection is lost, state is "waiting" and the grid keeps
   * retrying.
   */
  | { readonly type: 'saving'; readonly state: 'saved' | 'saving' | 'waiting'; readonly pending: number }
  /** leftOut describes the part of a paste that did not fit. It is "" if everything did. */
  | { readonly type: 'changed'; readonly cells: number; readonly kind: 'apply' | 'undo' | 'redo' | 'act'; readonly leftOut: string }
  /** Somebody else changed the cell first. The cell shows the text that they entered. */
  | { readonly type: 'conflict'; readonly conflict: Conflict }
  /** A change was rejected and reverted. */
  | { readonly type: 'refused'; readonly message: string }
  /** A message to show, such as how many cells were copied. */
  | { readonly type: 'notice'; readonly message: string }
  | { readonly type: 'rows'; readonly total: number }
  /** The user opened a context menu for the selection, at this position in the window. */
  | { readonly type: 'menu'; readonly x: number; readonly y: number }
  /** The user tried to edit a cell whose text is only partly loaded. */
  | { readonly type: 'long'; readonly spot: Spot; readonly row: Row };

export interface MenuItem {
  readonly label: string;
  act(): void;
}

export interface Room {
  readonly width: number;
  readonly height: number;
}

export interface GridConfig {
  readonly source: RowSource;
  readonly columns: readonly Column[];
  /**
   * The first rows of the view, if already loaded. The grid draws them immediately and
   * requests more rows afterward.
   */
  readonly first?: RowWindow;
  /** Accessible name of the table. */
  readonly label: string;
  /** Height of a row in CSS pixels; 32 by default. */
  readonly rowHeight?: number;
  /** Locale for formatting numbers; "en" by default. */
  readonly locale?: string;
  /** Formats a number; uses the locale by default. */
  readonly number?: (n: number) => string;
  /**
   * The maximum size of the element, in pixels. The first paint uses it, because measuring
   * the element would force a layout of the page.
   */
  readonly room?: Room;
  /** English by default. */
  readonly texts?: Texts;
  /** Maximum number of cells in one paste; 1,000,000 by default. */
  readonly maxPaste?: number;
  /** Called before the grid goes to a cell of a hidden column, so that the host can show the column. */
  readonly reveal?: (column: string) => void;
  /** Returns the items that the host adds to the menu of a column. */
  readonly columnMenu?: (column: string) => readonly MenuItem[];
  /** Whether the host has a context menu for the selection. */
  readonly hasMenu?: boolean;
  readonly listen?: (event: GridEvent) => void;
}
