/**
 * The types of the grid, and RowSource, the interface that supplies its rows.
 * The grid caches only a few blocks of rows. Any store of rows can implement
 * RowSource: a service, a file, a generator.
 */

export type Level = 'error' | 'warning' | 'info';

/** A problem of a cell or row. message is a sentence for people. */
export interface Problem {
  readonly level: Level;
  readonly message: string;
  readonly code: string;
}

export interface Cell {
  /** Raw text of the cell; "" is empty. */
  readonly text: string;
  readonly problems: readonly Problem[];
  /** Whether the cell differs from the file. */
  readonly changed?: boolean;
  /** What the text was parsed to, if that is a different text. */
  readonly value?: string;
  /** Whether a hook set the value, so it cannot be derived from the text. Both are shown. */
  readonly made?: boolean;
  /** Whether text is truncated. Truncated text is shown, but never saved. */
  readonly cut?: boolean;
}

export interface Row {
  /** Identifies the row permanently, regardless of sorting, filtering and deletions. */
  readonly id: string;
  /** Row number for people, from 1. */
  readonly number: number;
  /** Increases with each change of the row. */
  readonly version: number;
  /** One cell per column, in the order of GridConfig.columns. */
  readonly cells: readonly Cell[];
  /** Problems of the row as a whole. */
  readonly problems?: readonly Problem[];
  /** Whether the row no longer matches the filter. It is shown until the view is refreshed. */
  readonly past?: boolean;
}

/** A range of rows of the view. */
export interface RowWindow {
  /** Current number of rows in the view. */
  readonly total: number;
  /** Identifies the view that indexes refer to. A Batch returns it to the source. */
  readonly revision: string;
  readonly rows: readonly Row[];
}

/** A rectangle of cells: rows by their index in the view, columns by key. */
export interface Area {
  readonly fromRow: number;
  /** Exclusive. */
  readonly toRow: number;
  readonly columns: readonly string[];
}

/** The action of a person that one undo reverts. */
export type EditAction = 'edit' | 'paste' | 'cut' | 'clear' | 'fill';

/**
 * One change of any number of cells. The cell in row r and column c of the area,
 * both from 0, gets texts[r % texts.length][c % texts[0].length]. A single text
 * can clear ten million rows; a paste has a matrix of the area's size.
 */
export interface Batch {
  /** Unique per change. A source must apply each ID only once. */
  readonly id: string;
  readonly action: EditAction;
  readonly area: Area;
  readonly revision: string;
  /** Number of rows in the view. If it has changed, indexes refer to other rows. */
  readonly total: number;
  readonly texts: readonly (readonly string[])[];
  /** Versions, by row ID, of the rows of the area that were loaded. */
  readonly versions: Readonly<Record<string, number>>;
  /** The loaded rows as the person saw them, by index. */
  readonly seen: ReadonlyMap<number, Row>;
  /** How many rows and columns of a paste lie outside the table. */
  readonly leftOut?: { readonly rows: number; readonly cols: number };
}

/** A cell that somebody else changed first. It was not changed again. */
export interface Conflict {
  readonly rowId: string;
  readonly number: number;
  readonly column: string;
  readonly mine: string;
  readonly theirs: Cell;
  /** Whether the row was deleted. */
  readonly gone?: boolean;
}

/** One cell by row index and column key, as in Area. */
export interface Spot {
  readonly row: number;
  readonly column: string;
}

export interface Verdict {
  /**
   * After apply, the current state of the rows in versions. After undo and redo,
   * any rows; the grid reloads the visible ones.
   */
  readonly rows: readonly Row[];
  /** Number of changed cells. */
  readonly cells: number;
  readonly conflicts: readonly Conflict[];
  /** The cell to scroll to after undo and redo. */
  readonly spot?: Spot;
  /** Whether other rows may have changed, too, so the grid reloads the visible ones. */
  readonly stale?: boolean;
}

export interface RowSource {
  /** Returns rows from..to (exclusive); fewer only at the end of the view. */
  rows(from: number, to: number, signal: AbortSignal): Promise<RowWindow>;
  apply(batch: Batch): Promise<Verdict>;
  /** Undoes the last change. id is unique per call, as in Batch. Returns zero cells if there is nothing to undo. */
  undo(id: string): Promise<Verdict>;
  redo(id: string): Promise<Verdict>;
  /** Returns the nearest cell with a problem before or after a cell, in reading order. */
  problem(from: Spot, step: 1 | -1, signal: AbortSignal): Promise<Spot | null>;
}

/**
 * The error of a source. "lost" means that no response arrived, so the grid
 * repeats the call. "failed" means that the source rejected the call; the message
 * explains why, for people. Any other error counts as failed.
 */
export class SourceFault extends Error {
  readonly kind: 'lost' | 'failed';
  constructor(kind: 'lost' | 'failed', message: string) {
    super(message);
    this.kind = kind;
  }
}

export type ColumnKind = 'text' | 'number' | 'date' | 'select' | 'multi' | 'checkbox';

export interface Choice {
  /** The text of a cell with this option. */
  readonly text: string;
  /** What people read; defaults to text. */
  readonly label?: string;
  /** Another name to search for. */
  readonly also?: string;
}

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly kind: ColumnKind;
  /** Options of select and multi columns. */
  readonly choices?: readonly Choice[];
  /** Separates the values of a multi column; a comma by default. */
  readonly separator?: string;
  readonly readOnly?: boolean;
  /** In CSS pixels; 160 by default. */
  readonly width?: number;
  readonly pinned?: boolean;
}
