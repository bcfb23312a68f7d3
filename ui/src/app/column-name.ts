import type { LayoutColumn } from '../api';

/** What people call a column: its header, else its letters as a spreadsheet has them. */
export function columnName(column: Pick<LayoutColumn, 'index' | 'header'>): string {
  return column.header.trim() === '' ? columnLetters(column.index) : column.header;
}

/** A, B … Z, AA for the index of a column, from 0. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}
