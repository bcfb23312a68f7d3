/**
 * The words of the grid, and the port through which it asks for everything.
 * The grid holds no rows of its own but a few windows of them; whoever serves
 * them (a service, a file, a generator) implements RowSource.
 */

export type Level = 'error' | 'warning' | 'info';

/** One thing wrong with one cell; message is a sentence for people. */
export interface Problem {
  readonly level: Level;
  readonly message: string;
  readonly code: string;
}

export interface Cell {
  /** What the cell holds, as raw text; "" is empty. */
  readonly text: string;
  readonly problems: readonly Problem[];
  /** True where it no longer holds what the file held. */
  readonly changed?: boolean;
  /** What the text is read as, where that is another text. */
  readonly value?: string;
  /** True where the value was not read from the text, as a hook gave it: both are shown. */
  readonly made?: boolean;
  /** True where the text is only the beginning: it is shown, and never written back. */
  readonly cut?: boolean;
}

export interface Row {
  /** Names the row for good, whatever is sorted, filtered or deleted. */
  readonly id: string;
  /** The row's number as people count it, from 1. */
  readonly number: number;
  /** Grows with each change of the row. */
  readonly version: number;
  /** One for each column, in the order in which the columns were given. */
  readonly cells: readonly Cell[];
  /** Those of the row as a whole. */
  readonly problems?: readonly Problem[];
  /** True where the row no longer fits the filter of the view, and is shown until that is renewed. */
  readonly past?: boolean;
}

/** Some rows in a stretch of the view. */
export interface RowWindow {
  /** How many rows the view has at this moment. */
  readonly total: number;
  /** Names the view that indexes count in; it is handed back with a Batch. */
  readonly revision: string;
  readonly rows: readonly Row[];
}

/** Cells by place: rows by their index in the view, columns by key. */
export interface Area {
  readonly fromRow: number;
  /** Exclusive. */
  readonly toRow: number;
  readonly columns: readonly string[];
}

/** What a person did, which is what undo takes back at once. */
export type EditAction = 'edit' | 'paste' | 'cut' | 'clear' | 'fill';

/**
 * One change of any number of cells. The cell in row r and column c of the
 * area, both from 0, gets texts[r % texts.length][c % texts[0].length]: one
 * text clears ten million rows, a matrix of the area's size is a paste.
 */
export interface Batch {
  /** Made once for a change: a source that sees it again must not apply it again. */
  readonly id: string;
  readonly action: EditAction;
  readonly area: Area;
  readonly revision: string;
  /** How many rows the view had: with another number other rows stand in these places. */
  readonly total: number;
  readonly texts: readonly (readonly string[])[];
  /** Versions by row id, of those rows of the area that the person had before them. */
  readonly versions: Readonly<Record<string, number>>;
  /** These rows as the person saw them, by index. */
  readonly seen: ReadonlyMap<number, Row>;
  /** So many rows and columns of a paste lie beyond the end of the table. */
  readonly leftOut?: { readonly rows: number; readonly cols: number };
}

/** A cell that somebody else changed first: nothing was written to it. */
export interface Conflict {
  readonly rowId: string;
  readonly number: number;
  readonly column: string;
  readonly mine: string;
  readonly theirs: Cell;
  /** The row was deleted. */
  readonly gone?: boolean;
}

/** A cell by place, as in Area. */
export interface Spot {
  readonly row: number;
  readonly column: string;
}

export interface Verdict {
  /**
   * After apply: the rows named in versions, as they are now. After undo and
   * redo: any; the grid asks again for what it shows.
   */
  readonly rows: readonly Row[];
  /** How many cells were changed. */
  readonly cells: number;
  readonly conflicts: readonly Conflict[];
  /** Where to look, after undo and redo. */
  readonly spot?: Spot;
  /** True where other rows may look different as well: the grid asks again for what it shows. */
  readonly stale?: boolean;
}

export interface RowSource {
  /** The rows from..to (exclusive); fewer only at the end of the view. */
  rows(from: number, to: number, signal: AbortSignal): Promise<RowWindow>;
  apply(batch: Batch): Promise<Verdict>;
  /** id is made once for each undo, as in Batch. Nothing to undo: zero cells. */
  undo(id: string): Promise<Verdict>;
  redo(id: string): Promise<Verdict>;
  /** The nearest cell with a problem before or after one, in reading order. */
  problem(from: Spot, step: 1 | -1, signal: AbortSignal): Promise<Spot | null>;
}

/**
 * Why a source could not do it. "lost": no answer came, the same call may go
 * through later, and the grid makes it again. "failed": it was answered, and
 * the message says what is wrong, for people. Any other error counts as failed.
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
  /** What the cell holds where it is chosen. */
  readonly text: string;
  /** What people read; the text where it is missing. */
  readonly label?: string;
  /** Found by it as well. */
  readonly also?: string;
}

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly kind: ColumnKind;
  /** Of select and multi. */
  readonly choices?: readonly Choice[];
  /** Between the texts of a multi; a comma by default. */
  readonly separator?: string;
  readonly readOnly?: boolean;
  /** CSS pixels; 160 by default. */
  readonly width?: number;
  readonly pinned?: boolean;
}
