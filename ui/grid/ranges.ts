/**
 * Geometry of selections. Rows and columns are counted from 0 in display order. Row -1 is
 * the header.
 */

export interface Place {
  readonly row: number;
  readonly col: number;
}

/** A rectangle of cells. All four sides are inclusive. */
export interface Range {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Consecutive rows or columns to draw. If there are none, last is less than first. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

export function between(a: Place, b: Place): Range {
  return {
    top: Math.min(a.row, b.row),
    bottom: Math.max(a.row, b.row),
    left: Math.min(a.col, b.col),
    right: Math.max(a.col, b.col),
  };
}

export function contains(range: Range, row: number, col: number): boolean {
  return row >= range.top && row <= range.bottom && col >= range.left && col <= range.right;
}

export function rowsOf(range: Range): number {
  return range.bottom - range.top + 1;
}

export function colsOf(range: Range): number {
  return range.right - range.left + 1;
}

export function cellsOf(range: Range): number {
  return rowsOf(range) * colsOf(range);
}

/** Returns the part of a range that lies within a table of this size, or null. */
export function clip(range: Range, rows: number, cols: number): Range | null {
  const cut = {
    top: Math.max(0, range.top),
    bottom: Math.min(rows - 1, range.bottom),
    left: Math.max(0, range.left),
    right: Math.min(cols - 1, range.right),
  };
  return cut.top > cut.bottom || cut.left > cut.right ? null : cut;
}
