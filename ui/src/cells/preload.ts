import { Fault, type RowWindow, type Table } from '../api';
import type { CellsHost } from './host';
import { createTableApi, type TableApi } from './table-api';
import { allRows, firstRows } from './filter';
import { loadCellsTexts, type T } from './texts';

/** The data needed to show the first rows. */
export interface Preloaded {
  readonly tableApi: TableApi;
  readonly t: T;
  readonly first: FirstRows | null;
  /** The error if the rows could not be loaded; otherwise null. */
  readonly fault: unknown;
}

export interface FirstRows {
  readonly table: Table;
  readonly rows: RowWindow;
  /** Number of the last change reported before the request; 0 if there was none. */
  readonly lastChange: number;
}

/** The parts of the host that preloading needs. */
export type PreloadNeeds = Pick<CellsHost, 'api' | 'events' | 'locale'>;

/** Requests the data needed to show the first rows. */
export async function startPreload({ api, events, locale }: PreloadNeeds): Promise<Preloaded> {
  const tableApi = createTableApi(api);
  const lastChange = events.last?.change ?? 0;
  const asked = Promise.all([tableApi.table(), tableApi.rows(allRows, '', 0, firstRows)]);
  // If the request fails before the UI text is loaded, the fault is reported once the text is
  // loaded.
  asked.catch(() => {});
  const t = await loadCellsTexts(locale).catch(() => Promise.reject(new Fault('lost')));
  try {
    const [table, rows] = await asked;
    return { tableApi, t, first: { table, rows, lastChange }, fault: null };
  } catch (fault) {
    return { tableApi, t, first: null, fault };
  }
}

/** A preload that started before the step was shown. */
export class Preload {
  /** The result; null until it has arrived. */
  now: Preloaded | null = null;
  readonly coming: Promise<Preloaded>;

  constructor(of: PreloadNeeds) {
    this.coming = startPreload(of);
    this.coming.then((start) => (this.now = start), () => {});
  }
}
