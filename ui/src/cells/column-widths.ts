import type { RowWindow } from '../api';
import type { Place } from './columns';

const narrowest = 80;
const widest = 280;
/** About as wide as a letter is, and what stands beside the text of a cell: its edges, and the sign of a problem. */
const perSign = 7.2;
const beside = 44;
/** Headers are bold, and have a menu. */
const perBold = 8.2;
const besideHeader = 54;

/** Columns as wide as most of their first cells need. */
export function fitColumnWidths(places: readonly Place[], { rows }: Pick<RowWindow, 'rows'>): Place[] {
  return places.map((place) => {
    if (rows.length === 0) return place;
    const box = place.column.kind === 'checkbox';
    const lengths = rows.map((row) => (box ? 0 : (row.cells[place.at]?.text.length ?? 0))).sort((a, b) => a - b);
    const usual = lengths[Math.floor(lengths.length * 0.95)]! * perSign + beside;
    const head = place.column.label.length * perBold + besideHeader;
    const width = Math.round(Math.min(widest, Math.max(narrowest, usual, Math.min(head, 200))));
    return { ...place, column: { ...place.column, width } };
  });
}
