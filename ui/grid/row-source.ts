/**
 * The types of the grid, and RowSource, the interface that supplies its rows. The grid
 * caches only a few blocks of rows. A service, a file or a generator can implement
 * RowSource.
 */

export type Level = 'error' | 'warning' | 'info';

/** A problem of a cell or row. message is a sentence for users. */
export interface Problem {
  readonly level: Level;
  readonly message: string;
  readonly code: string;
}

export interface Cell {
  /** Raw text of the cell; "" if it is empty. */
  readonly text: string;
  readonly problems: readonly Problem[];
  /** Whether the cell differs from the original file. */
  readonly changed?: boolean;
  /** The value parsed from the text, if it differs from the text. */
  readonly value?: string;
  /** The value as the result contains it, if it differs from `value`. */
  readonly sent?: string;
  /**
   * Whether a hook set the value, so that it does not follow from the text. The grid shows
   * both.
   */
  readonly made?: boolean;
  /** Whether text is truncated. Truncated text is shown but never saved. */
  readonly cut?: boolean;
}

export interface Row {
  /** Permanent ID of the row. Sorting, filtering and deletions do not change it. */
  readonly id: string;
  /** Row number shown to users, counted from 1. */
  readonly number: number;
  /** Line of the file where the row begins, counted from 1. The host may show it; the grid does not. */
  readonly line?: number;
  /** Increases with each change to the row. */
  readonly version: number;
  /** One cell per column, in the order of GridConfig.columns. */
  readonly cells: readonly Cell[];
  /** Problems of the row as a whole. */
  readonly problems?: readonly Problem[];
  /**
   * Whether the row no longer matches the filter. It stays in the view until the view is
   * refreshed.
   */
  readonly past?: boolean;
}

/** Consecutive rows of the view. */
export interface RowWindow {
  /** Current number of rows in the view. */
  readonly total: number;
  /** Identifies the view that the indexes refer to. Each Batch passes it back to the source. */
  readonly revision: string;
  readonly rows: readonly Row[];
}

/** A rectangle of cells: rows by their index in the view, columns by key. */
export interface Area {
  readonly fromRow: number;
  /** The first row after the area. */
  readonly toRow: number;
  readonly columns: readonly string[];
}

/** The user action that one undo reverts. */
export type EditAction = 'edit' | 'paste' | 'cut' | 'clear' | 'fill';

/**
 * One change to any number of cells. The cell in row r and column c of the area, both counted
 * from 0, is set to texts[r % texts.length][c % texts[0].length]. A single string can clear
 * ten million rows. A paste has a matrix of the area's size.
 */
export interface Batch {
  /** Unique ID of the change. A source must apply each ID only once. */
  readonly id: string;
  readonly action: EditAction;
  readonly area: Area;
  readonly revision: string;
  /** Number of rows in the view. If it has changed, the indexes refer to other rows. */
  readonly total: number;
  readonly texts: readonly (readonly string[])[];
  /** Versions of the loaded rows in the area, by row ID. */
  readonly versions: Readonly<Record<string, number>>;
  /** The loaded rows as the user saw them, by index. */
  readonly seen: ReadonlyMap<number, Row>;
  /** Number of rows and columns of a paste that lie outside the table. */
  readonly leftOut?: { readonly rows: number; readonly cols: number };
}

/** A cell that somebody else changed first. The rejected change was not applied. */
export interface Conflict {
  readonly rowId: string;
  readonly number: number;
  readonly column: string;
  readonly mine: string;
  readonly theirs: Cell;
  /** Whether the row has been deleted. */
  readonly gone?: boolean;
}

/** One cell by row index and column key, as in Area. */
export interface Spot {
  readonly row: number;
  readonly column: string;
}

export interface Verdict {
  /**
   * After apply, the current state of the rows in versions. After undo and redo, any rows:
   * the grid reloads the visible ones.
   */
  readonly rows: readonly Row[];
  /** Number of changed cells. */
  readonly cells: number;
  readonly conflicts: readonly Conflict[];
  /** The cell to scroll to after undo and redo. */
  readonly spot?: Spot;
  /** Whether other rows may also have changed. If so, the grid reloads the visible ones. */
  readonly stale?: boolean;
}

export interface RowSource {
  /**
   * Returns the rows from `from` to `to`, which is exclusive. Returns fewer rows only at
   * the end of the view.
   */
  rows(from: number, to: number, signal: AbortSignal): Promise<RowWindow>;
  apply(batch: Batch): Promise<Verdict>;
  /**
   * Undoes the last change. id is unique per call, as in Batch. The verdict has 0 cells if
   * there is nothing to undo.
   */
  undo(id: string): Promise<Verdict>;
  redo(id: string): Promise<Verdict>;
  /**
   * Returns the nearest cell with a problem before or after a cell, in reading order. If `from`
   * is null, returns the first one or, backward, the last one.
   */
  problem(from: Spot | null, step: 1 | -1, signal: AbortSignal): Promise<Spot | null>;
}

/**
 * The error of a source. "lost" means that no response arrived, so the grid repeats the
 * call. "failed" means that the source rejected the call, and the message explains to the
 * user why. Any other error counts as "failed".
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
  /** The raw text of a cell that contains this option. */
  readonly text: string;
  /** The text that users see; by default the same as text. */
  readonly label?: string;
  /** An additional name that the search finds. */
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
  /** Whether cells must not be empty. The editor then offers no empty option. */
  readonly required?: boolean;
  /** Width in CSS pixels; 160 by default. */
  readonly width?: number;
  readonly pinned?: boolean;
  /** Whether the grid does not show the column. Its cells stay in the rows. */
  readonly hidden?: boolean;
  /** The order of the rows, if they are sorted by this column. */
  readonly sorted?: 'ascending' | 'descending';
}
