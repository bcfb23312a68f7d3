import type { Batch, Row } from '../../grid';
import type { EditRequest } from './table-api';
import type { Place } from './columns';

/** Maximum number of rows sent cell by cell. Larger areas are sent as a range if possible. */
export const maxNamedRows = 2000;
/** Maximum number of individual cells that the server accepts in one call. */
export const maxCells = 100_000;

/** How a batch is sent. */
export type EditPlan =
  | { readonly kind: 'named' }
  | { readonly kind: 'stretch'; readonly order: Omit<EditRequest, 'op'> }
  /** The batch cannot be sent, because it has too many individual cells. */
  | { readonly kind: 'tooMany'; readonly cells: number };

/**
 * Chooses how to send a batch. Individual cells include the text that the user saw, so that
 * concurrent changes by other users are not overwritten. A range does not include it. One
 * row of values that repeats over many rows is sent as a range of the view.
 */
export function planEdit(batch: Batch, places: ReadonlyMap<string, Place>): EditPlan {
  const { fromRow, toRow, columns } = batch.area;
  const rows = toRow - fromRow;
  if (rows <= maxNamedRows && rows * columns.length <= maxCells) return { kind: 'named' };
  const order = batch.texts.length === 1 ? rangeEdit(batch, places) : null;
  if (order) return { kind: 'stretch', order };
  const cells = rows * columns.length;
  return cells <= maxCells ? { kind: 'named' } : { kind: 'tooMany', cells };
}

function rangeEdit(batch: Batch, places: ReadonlyMap<string, Place>): Omit<EditRequest, 'op'> | null {
  const { fromRow, toRow, columns } = batch.area;
  const line = batch.texts[0]!;
  const texts = new Map<string, string>();
  for (const [at, column] of columns.entries()) {
    const place = places.get(column)!;
    const text = line[at % line.length]!;
    const other = texts.get(place.key);
    if (other !== undefined && other !== text) return null;
    texts.set(place.key, text);
  }
  if (!wholeFields(columns, places)) return null;
  const where = { show: 'all', view: batch.revision, from: fromRow, to: toRow, total: batch.total } as const;
  const keys = [...texts.keys()];
  const all = new Set(texts.values());
  if (all.size > 1) return { kind: 'fill', where, texts: Object.fromEntries(texts) };
  const [text = ''] = all;
  return text === '' ? { kind: 'clear', where, keys } : { kind: 'fill', where, keys, text };
}

/** Reports whether all columns of each field are included. A range always covers whole fields. */
function wholeFields(columns: readonly string[], places: ReadonlyMap<string, Place>): boolean {
  const keys = new Set(columns.map((column) => places.get(column)!.key));
  const meant = [...places.values()].filter((place) => keys.has(place.key)).length;
  return meant === columns.length;
}

/** One cell in an edit request. */
export interface CellEdit {
  readonly id: string;
  readonly key: string;
  readonly part?: number;
  readonly text: string;
  readonly version: number;
  readonly seen: string;
}

/** Returns the cells of a batch. rows must be in the order of the area. */
export function cellEdits(batch: Batch, rows: readonly Row[], places: ReadonlyMap<string, Place>, order: ReadonlyMap<string, number>): CellEdit[] {
  const cells: CellEdit[] = [];
  for (const [r, row] of rows.entries()) {
    const line = batch.texts[r % batch.texts.length]!;
    for (const [c, column] of batch.area.columns.entries()) {
      const { key, part } = places.get(column)!;
      const seen = row.cells[order.get(column)!]!.text;
      const version = batch.versions[row.id] ?? row.version;
      cells.push({ id: row.id, key, ...(part > 0 && { part }), text: line[c % line.length]!, version, seen });
    }
  }
  return cells;
}
