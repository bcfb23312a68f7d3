import type { Area } from '../../grid';
import type { Place } from './columns';
import type { Order, Where } from './desk';

/** A change that has no name yet. */
export type Deed = Omit<Order, 'op'>;

/** So many rows are told by their ids, which nothing shifts. */
const mostIds = 1000;

/** The rows of an area: by id where all are known, else as a stretch of the view. */
export function whereOf(area: Area, { view, total }: { readonly view: string; readonly total: number }, idOf: (index: number) => string | undefined): Where {
  const rows: string[] = [];
  for (let index = area.fromRow; index < area.toRow && rows.length < mostIds; index++) {
    const id = idOf(index);
    if (id === undefined) break;
    rows.push(id);
  }
  const all = rows.length === area.toRow - area.fromRow;
  return all ? { show: 'all', rows } : { show: 'all', view, from: area.fromRow, to: area.toRow, total };
}

/** The fields of the columns of an area that may be changed. */
export function keysOf(area: Area, places: readonly Place[]): string[] {
  const columns = new Set(area.columns);
  const keys = places.filter((place) => columns.has(place.column.key) && !place.column.readOnly).map((place) => place.key);
  return [...new Set(keys)];
}
