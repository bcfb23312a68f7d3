import { colsOf, rowsOf, type Range } from './ranges';

/**
 * The area to fill, and the pattern to fill it with. Filling repeats existing values and
 * never continues a series: following 1, 2 with 3 would be a guess about the data.
 */
export interface Fill {
  readonly area: Range;
  readonly texts: string[][];
}

/**
 * Returns the area to fill when a range is dragged to a cell. The area extends the range along
 * the axis on which the cell is farther away. Returns null if the cell is inside the range.
 */
export function dragArea(from: Range, row: number, col: number): Range | null {
  const down = row > from.bottom ? row - from.bottom : Math.min(0, row - from.top);
  const right = col > from.right ? col - from.right : Math.min(0, col - from.left);
  if (down === 0 && right === 0) return null;
  if (Math.abs(down) >= Math.abs(right)) {
    return down > 0 ? { ...from, top: from.bottom + 1, bottom: row } : { ...from, bottom: from.top - 1, top: row };
  }
  return right > 0 ? { ...from, left: from.right + 1, right: col } : { ...from, right: from.left - 1, left: col };
}

/** Returns the pattern that repeats the values of a range in an area next to it. */
export function fillPattern(texts: readonly (readonly string[])[], from: Range, area: Range): Fill {
  const rows = texts.length;
  const cols = texts[0]!.length;
  const rowAt = (r: number) => modulo(area.top + r - from.top, rows);
  const colAt = (c: number) => modulo(area.left + c - from.left, cols);
  const high = Math.min(rows, rowsOf(area));
  const wide = Math.min(cols, colsOf(area));
  const made = Array.from({ length: high }, (_, r) =>
    Array.from({ length: wide }, (_, c) => texts[rowAt(r)]![colAt(c)]!),
  );
  return { area, texts: made };
}

function modulo(n: number, by: number): number {
  return ((n % by) + by) % by;
}

/** Splits a range into its first row or column and the rest. Returns null if there is no rest. */
export function splitForFill(range: Range, direction: 'down' | 'right'): { from: Range; area: Range } | null {
  if (direction === 'down') {
    if (range.top === range.bottom) return null;
    return { from: { ...range, bottom: range.top }, area: { ...range, top: range.top + 1 } };
  }
  if (range.left === range.right) return null;
  return { from: { ...range, right: range.left }, area: { ...range, left: range.left + 1 } };
}
