import type { RowWindow } from '../api';
import type { Place } from './columns';

const narrowest = 80;
const widest = 280;
/** Approximate width of a letter, and of a cell's padding and problem marker, in pixels. */
const letterWidth = 7.2;
const cellPadding = 44;
/** The same widths for headers, which are bold and have a menu. */
const boldLetterWidth = 8.2;
const headerPadding = 54;

/** Sets column widths that fit most of the first cells. */
export function fitColumnWidths(places: readonly Place[], { rows }: Pick<RowWindow, 'rows'>): Place[] {
  return places.map((place) => {
    if (rows.length === 0) return place;
    const box = place.column.kind === 'checkbox';
    const lengths = rows.map((row) => (box ? 0 : (row.cells[place.at]?.text.length ?? 0))).sort((a, b) => a - b);
    const usual = lengths[Math.floor(lengths.length * 0.95)]! * letterWidth + cellPadding;
    const head = place.column.label.length * boldLetterWidth + headerPadding;
    const width = Math.round(Math.min(widest, Math.max(narrowest, usual, Math.min(head, 200))));
    return { ...place, column: { ...place.column, width } };
  });
}
