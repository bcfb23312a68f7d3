import type { Area } from '../../grid';
import type { Place } from './columns';
import type { EditRequest, EditScope } from './table-api';

/** A change that has no name yet. */
export type EditSpec = Omit<EditRequest, 'op'>;

/** Up to so many rows are sent by their ids, which nothing shifts. */
const maxIds = 1000;

/** The rows of an area: by id where all are known, else as a stretch of the view. */
export function scopeOf(area: Area, { view, total }: { readonly view: string; readonly total: number }, idOf: (index: number) => string | undefined): EditScope {
  const rows: string[] = [];
  for (let index = area.fromRow; index < area.toRow && rows.length < maxIds; index++) {
    const id = idOf(index);
    if (id === undefined) break;
    rows.push(id);
  }
  const all = rows.length === area.toRow - area.fromRow;
  return all ? { show: 'all', rows } : { show: 'all', view, from: area.fromRow, to: area.toRow, total };
}

/** The fields of the columns of an area that may be changed. */
export function editableKeys(area: Area, places: readonly Place[]): string[] {
  const columns = new Set(area.columns);
  const keys = places.filter((place) => columns.has(place.column.key) && !place.column.readOnly).map((place) => place.key);
  return [...new Set(keys)];
}
