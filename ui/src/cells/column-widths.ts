import type { Row } from '../api';
import { displayName, type Place } from './columns';

const narrowest = 80;
const widest = 280;
/** Maximum width of a column to show a value with a problem. */
const widestProblem = 400;
/** Approximate width of a letter, and of a cell's padding and problem marker, in pixels. */
const letterWidth = 7.2;
const wideLetterWidth = 13;
const cellPadding = 44;
/** The same widths for headers, which are bold and have a menu. Values with a problem get as much. */
const boldLetterWidth = 8.2;
const headerPadding = 54;

/**
 * Sets column widths that fit most of the given cells, and all of those with a problem. A
 * marker hides the end of a value that does not fit, exactly where the value matters.
 */
export function fitColumnWidths(places: readonly Place[], rows: readonly Row[]): Place[] {
  return places.map((place) => {
    if (rows.length === 0) return place;
    const box = place.column.kind === 'checkbox';
    const lengths = rows.map((row) => (box ? 0 : cellWidth(place, row))).sort((a, b) => a - b);
    const usual = lengths[Math.floor(lengths.length * 0.95)]! + cellPadding;
    const head = place.column.label.length * boldLetterWidth + headerPadding;
    const width = Math.min(widest, Math.max(narrowest, usual, Math.min(head, 200)));
    return withWidth(place, Math.max(width, problemWidth(place, rows)));
  });
}

/** Widens columns so that they also fit the problems of other rows. */
export function widenForProblems(places: readonly Place[], rows: readonly Row[]): Place[] {
  return places.map((place) => {
    const width = problemWidth(place, rows);
    return width > (place.column.width ?? 0) ? withWidth(place, width) : place;
  });
}

function withWidth(place: Place, width: number): Place {
  return { ...place, column: { ...place.column, width: Math.round(width) } };
}

function problemWidth({ at }: Place, rows: readonly Row[]): number {
  return Math.min(widestProblem, Math.max(0, ...rows.map(({ cells: { [at]: cell } }) => (cell?.problems ? textWidth(cell.text, boldLetterWidth) + cellPadding : 0))));
}

/** Estimates the width of a cell with the value that the result will contain. */
function cellWidth(place: Place, { cells: { [place.at]: cell } }: Row): number {
  if (!cell) return 0;
  const text = displayName(place, cell.text);
  // The value of several options is a list in JSON, which is shorter in the table.
  const sent = place.column.kind === 'multi' ? text : displayName(place, cell.sent ?? cell.value ?? cell.text);
  return textWidth(sent === text ? text : `${text} → ${sent}`);
}

/** Estimates the width of text in pixels, because measuring would delay the first rows. */
function textWidth(text = '', letter = letterWidth): number {
  const wide = text.match(/[\u1100-\uffdc]/g)?.length ?? 0;
  return text.length * letter + wide * (wideLetterWidth - letter);
}
