import type { Row as WireRow } from '../api';

export type Show = 'all' | 'problems' | 'errors' | 'warnings' | 'infos' | 'valid';

/** Which rows are wanted: by a problem that they have, and by what they hold. */
export interface Filter {
  readonly show: Show;
  /** The field with the problem; "" for problems of whole rows; missing for any. */
  readonly key?: string;
  readonly code?: string;
  readonly search?: string;
  /** The field that is searched; missing for all. */
  readonly in?: string;
  /** Texts that count as found, as they are shown here under other names: JSON, a list by the key of each field. */
  readonly also?: string;
}

/** So many rows are asked for at first: more than a window shows, and few enough to be there at once. */
export const firstRows = 60;

export const allRows: Filter = { show: 'all' };

/** Without the parts that say nothing, as two filters that mean the same are the same then. */
export function normalized(filter: Filter): Filter {
  const given = Object.entries(filter).filter(([name, value]) => value !== undefined && (value !== '' || name === 'key'));
  return Object.fromEntries(given) as unknown as Filter;
}

export function sameFilter(a: Filter, b: Filter): boolean {
  return a.show === b.show && a.key === b.key && a.code === b.code && (a.search ?? '') === (b.search ?? '') && a.in === b.in;
}

export function isFiltered(filter: Filter): boolean {
  return !sameFilter(filter, allRows);
}

const levels: Readonly<Partial<Record<Show, string>>> = { errors: 'error', warnings: 'warning', infos: 'info' };

/** What is known of a row: the keys of its cells in their order. */
export type Keys = readonly string[];

/** What the cell at a place shows in place of its text; "" where that is what it shows. */
export type Naming = (at: number, cell: WireRow['cells'][number]) => string;

/** Whether a row fits still. A search is repeated on what is here of its texts. */
export function matchesFilter(filter: Filter, row: WireRow, keys: Keys, named: Naming = () => ''): boolean {
  return fitsProblem(filter, row, keys) && (!filter.search || matchesSearch(filter, row, keys, named));
}

function fitsProblem(filter: Filter, row: WireRow, keys: Keys): boolean {
  if (filter.show === 'valid') return !hasProblem(row, keys, { show: 'errors' });
  if (filter.show === 'all' && filter.key === undefined && filter.code === undefined) return true;
  return hasProblem(row, keys, filter);
}

function hasProblem(row: WireRow, keys: Keys, { show, key, code }: Filter): boolean {
  const level = levels[show];
  const fit = (problem: { level: string; code: string }) => (!level || problem.level === level) && (!code || problem.code === code);
  if ((key === undefined || key === '') && row.problems?.some(fit)) return true;
  return row.cells.some((cell, at) => (key === undefined || key === keys[at]) && cell.problems?.some(fit));
}

function matchesSearch(filter: Filter, row: WireRow, keys: Keys, named: Naming): boolean {
  const wanted = foldCase(filter.search!);
  return row.cells.some(
    (cell, at) => (!filter.in || filter.in === keys[at]) && [cell.text, cell.value ?? '', named(at, cell)].some((text) => foldCase(text).includes(wanted)),
  );
}

/** As the service looks for texts: letters that differ by case are one, and none becomes several, as ß would. */
export function foldCase(text: string): string {
  return text.replace(/[^\u0000-\u007f]/g, (sign) => (sign.toUpperCase().length === 1 ? sign.toUpperCase() : sign)).toLowerCase();
}
