import type { Area } from '../../grid';
import type { Place } from './columns';
import type { EditRequest, EditScope } from './table-api';

/** An edit without an operation ID. */
export type EditSpec = Omit<EditRequest, 'op'>;

/** Maximum number of rows sent by ID. IDs stay valid when the rows of the view shift. */
const maxIds = 1000;

/**
 * Returns the rows of an area: by ID if all IDs are known and there are few rows, otherwise
 * as a range of the view.
 */
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

/** Returns the editable fields of an area. */
export function editableKeys(area: Area, places: readonly Place[]): string[] {
  const columns = new Set(area.columns);
  const keys = places.filter((place) => columns.has(place.column.key) && !place.column.readOnly).map((place) => place.key);
  return [...new Set(keys)];
}
