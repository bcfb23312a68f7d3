import type { Column, Conflict, Row, RowSource, RowWindow, Spot } from './row-source';
import type { Place, Range } from './ranges';
import type { Texts } from './texts';

/** What the grid reports to its host. */
export type GridEvent =
  /** Rows and columns as shown; range is null in the header. */
  | { readonly type: 'selection'; readonly range: Range | null; readonly active: Place }
  /** Changes on their way; waiting: the connection is lost and they are sent again. */
  | { readonly type: 'saving'; readonly state: 'saved' | 'saving' | 'waiting'; readonly pending: number }
  /** leftOut says what of a paste did not fit; "" where all did. */
  | { readonly type: 'changed'; readonly cells: number; readonly kind: 'apply' | 'undo' | 'redo' | 'act'; readonly leftOut: string }
  /** Somebody else was first; the cell shows theirs. */
  | { readonly type: 'conflict'; readonly conflict: Conflict }
  /** A change was not taken and was taken off the cells again. */
  | { readonly type: 'refused'; readonly message: string }
  /** Something for the host to show: what was copied, what did not fit. */
  | { readonly type: 'notice'; readonly message: string }
  | { readonly type: 'rows'; readonly total: number }
  /** A menu is asked for what is selected, at this place of the window. */
  | { readonly type: 'menu'; readonly x: number; readonly y: number }
  /** A cell was to be edited of which only the beginning is here. */
  | { readonly type: 'long'; readonly spot: Spot; readonly row: Row };

export interface Room {
  readonly width: number;
  readonly height: number;
}

export interface GridConfig {
  readonly source: RowSource;
  readonly columns: readonly Column[];
  /** The first rows of the view where they are here already: drawn at once, and the others asked for once they can be seen. */
  readonly first?: RowWindow;
  /** What the table is, for people who cannot see it. */
  readonly label: string;
  /** 32 by default. */
  readonly rowHeight?: number;
  /** Of numbers; "en" by default. */
  readonly locale?: string;
  /** Writes a number; as the locale does by default. */
  readonly number?: (n: number) => string;
  /**
   * The most room that the element can have, in pixels: what is drawn first is drawn
   * into this, without asking the browser, which would lay out the page for it.
   */
  readonly room?: Room;
  /** English by default. */
  readonly texts?: Texts;
  /** The most cells of one paste; 1,000,000 by default. */
  readonly maxPaste?: number;
  /** Whether the host has a menu for what is selected. */
  readonly hasMenu?: boolean;
  readonly listen?: (event: GridEvent) => void;
}
