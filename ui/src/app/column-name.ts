import type { LayoutColumn } from '../api';

/** Returns the header of a column, or its spreadsheet letters if the header is empty. */
export function columnName(column: Pick<LayoutColumn, 'index' | 'header'>): string {
  return column.header.trim() === '' ? columnLetters(column.index) : column.header;
}

/** Converts a column index, counted from 0, to spreadsheet letters: A, B … Z, AA. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}
