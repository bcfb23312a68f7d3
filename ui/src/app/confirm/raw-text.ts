import type { Cell } from '../../api';

/** Returns the text of a cell in the file if it differs from the value, or "" if it is the same or blank. */
export function changedTextOf({ value, text }: Pick<Cell, 'value' | 'text'>): string {
  return text === value || text.trim() === '' ? '' : text;
}
