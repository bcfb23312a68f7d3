/** Arithmetic of selections. Rows and columns count from 0 as shown; row -1 is the header. */

export interface Place {
  readonly row: number;
  readonly col: number;
}

/** All four sides inclusive. */
export interface Range {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Consecutive rows or columns that are drawn; none where last < first. */
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

/** The part of a range that a table of this size has, or null. */
export function clip(range: Range, rows: number, cols: number): Range | null {
  const cut = {
    top: Math.max(0, range.top),
    bottom: Math.min(rows - 1, range.bottom),
    left: Math.max(0, range.left),
    right: Math.min(cols - 1, range.right),
  };
  return cut.top > cut.bottom || cut.left > cut.right ? null : cut;
}

export function same(a: Range | null, b: Range | null): boolean {
  if (!a || !b) return a === b;
  return a.top === b.top && a.bottom === b.bottom && a.left === b.left && a.right === b.right;
}
