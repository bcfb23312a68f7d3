import { Fault, type RowWindow, type Table } from '../api';
import type { CellsHost } from './host';
import { createTableApi, type TableApi } from './table-api';
import { allRows, firstRows } from './filter';
import { loadCellsTexts, type T } from './texts';

/** What the step is drawn with first. */
export interface Preloaded {
  readonly tableApi: TableApi;
  readonly t: T;
  readonly first: FirstRows | null;
  /** Why there are no rows. */
  readonly fault: unknown;
}

export interface FirstRows {
  readonly table: Table;
  readonly rows: RowWindow;
  /** The last change reported before these were requested; 0 where there was none. */
  readonly lastChange: number;
}

/** What preloading needs. */
export type PreloadNeeds = Pick<CellsHost, 'api' | 'events' | 'locale'>;

/** Asks for everything at once that the first rows need. */
export async function startPreload({ api, events, locale }: PreloadNeeds): Promise<Preloaded> {
  const tableApi = createTableApi(api);
  const lastChange = events.last?.change ?? 0;
  const asked = Promise.all([tableApi.table(), tableApi.rows(allRows, '', 0, firstRows)]);
  // A refusal that comes before the texts is reported once these are here.
  asked.catch(() => {});
  const t = await loadCellsTexts(locale).catch(() => Promise.reject(new Fault('lost')));
  try {
    const [table, rows] = await asked;
    return { tableApi, t, first: { table, rows, lastChange }, fault: null };
  } catch (fault) {
    return { tableApi, t, first: null, fault };
  }
}

/** A preload that began before the step was shown. */
export class Preload {
  /** What came of it; null until then. */
  now: Preloaded | null = null;
  readonly coming: Promise<Preloaded>;

  constructor(of: PreloadNeeds) {
    this.coming = startPreload(of);
    this.coming.then((start) => (this.now = start), () => {});
  }
}
