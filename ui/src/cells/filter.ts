import type { Row as WireRow } from '../api';

export type Show = 'all' | 'problems' | 'errors' | 'warnings' | 'infos' | 'valid';

/** Selects rows by problem and by text. */
export interface Filter {
  readonly show: Show;
  /** The field with the problem; "" for problems of whole rows; undefined for any. */
  readonly key?: string;
  readonly code?: string;
  readonly search?: string;
  /** Whether only cells match whose text or value is the search text. */
  readonly whole?: boolean;
  /** The field to search; undefined for all. */
  readonly in?: string;
  /**
   * Values that also match, because the page shows them under other names. JSON with a list
   * per field key.
   */
  readonly also?: string;
  /** The field by which the rows are sorted, and whether the largest value is first. They do not select rows. */
  readonly sort?: string;
  readonly desc?: boolean;
}

/**
 * Number of rows in the first request. These are more rows than fit into a window, but few
 * enough to arrive quickly.
 */
export const firstRows = 60;

export const allRows: Filter = { show: 'all' };

/** Removes empty parts, so that equivalent filters are equal. */
export function normalized(filter: Filter): Filter {
  const given = Object.entries(filter).filter(([name, value]) => value !== undefined && (value !== '' || name === 'key'));
  return Object.fromEntries(given) as unknown as Filter;
}

export function sameFilter(a: Filter, b: Filter): boolean {
  return a.show === b.show && a.key === b.key && a.code === b.code && (a.search ?? '') === (b.search ?? '') && a.in === b.in && (a.whole ?? false) === (b.whole ?? false);
}

export function isFiltered(filter: Filter): boolean {
  return !sameFilter(filter, allRows);
}

const levels: Readonly<Partial<Record<Show, string>>> = { errors: 'error', warnings: 'warning', infos: 'info' };

/** Field keys of a row's cells, in order. */
export type Keys = readonly string[];

/**
 * A function that returns the names under which a cell is shown; "" if the cell shows its
 * raw text.
 */
export type Naming = (at: number, cell: WireRow['cells'][number]) => string;

/**
 * Reports whether a row still matches the filter. The search covers only the loaded part of
 * long text.
 */
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
  const fits = (text: string) => (filter.whole ? foldCase(text) === wanted : foldCase(text).includes(wanted));
  return row.cells.some(
    (cell, at) => (!filter.in || filter.in === keys[at]) && [cell.text, cell.value ?? '', filter.whole ? '' : named(at, cell)].some(fits),
  );
}

/** Folds case like the server: one letter stays one letter, so ß does not become SS. */
export function foldCase(text: string): string {
  return text.replace(/[^\u0000-\u007f]/g, (sign) => (sign.toUpperCase().length === 1 ? sign.toUpperCase() : sign)).toLowerCase();
}
