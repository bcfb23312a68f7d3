import { colsOf, rowsOf, type Range } from './ranges';

/**
 * Filling repeats what is there and makes up no series: 1, 2 followed by 3 is a
 * guess about somebody's rows.
 */
export interface Fill {
  readonly area: Range;
  readonly texts: string[][];
}

/** Where a drag of the handle from a range to a place leads: along the longer way, or null. */
export function dragArea(from: Range, row: number, col: number): Range | null {
  const down = row > from.bottom ? row - from.bottom : Math.min(0, row - from.top);
  const right = col > from.right ? col - from.right : Math.min(0, col - from.left);
  if (down === 0 && right === 0) return null;
  if (Math.abs(down) >= Math.abs(right)) {
    return down > 0 ? { ...from, top: from.bottom + 1, bottom: row } : { ...from, bottom: from.top - 1, top: row };
  }
  return right > 0 ? { ...from, left: from.right + 1, right: col } : { ...from, right: from.left - 1, left: col };
}

/** The pattern for an area beside a range, so that what repeats goes on from the range. */
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

/** The first row (or column) of a range and the rest below (or beside) it, or null where there is no rest. */
export function splitForFill(range: Range, way: 'down' | 'right'): { from: Range; area: Range } | null {
  if (way === 'down') {
    if (range.top === range.bottom) return null;
    return { from: { ...range, bottom: range.top }, area: { ...range, top: range.top + 1 } };
  }
  if (range.left === range.right) return null;
  return { from: { ...range, right: range.left }, area: { ...range, left: range.left + 1 } };
}
