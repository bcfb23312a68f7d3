import { Fault, type RowWindow, type Table } from '../api';
import type { Frame } from '../app/frame';
import { openDesk, type Desk } from './desk';
import { everything } from './filter';
import { firstRows } from './first';
import { readCellWords, type T } from './words';

/** What the step is drawn with first. */
export interface Start {
  readonly desk: Desk;
  readonly t: T;
  readonly first: First | null;
  /** Why there are no rows. */
  readonly fault: unknown;
}

export interface First {
  readonly table: Table;
  readonly rows: RowWindow;
  /** The last change that was told before these were asked for; 0 where none was. */
  readonly heard: number;
}

/** What it takes to begin. */
export type Needed = Pick<Frame, 'api' | 'events' | 'locale'>;

/** Asks for everything at once that the first rows need. */
export async function begin({ api, events, locale }: Needed): Promise<Start> {
  const desk = openDesk(api);
  const heard = events.last?.change ?? 0;
  const asked = Promise.all([desk.table(), desk.rows(everything, '', 0, firstRows)]);
  // What was refused before the words are here is told with them.
  asked.catch(() => {});
  const t = await readCellWords(locale).catch(() => Promise.reject(new Fault('lost')));
  try {
    const [table, rows] = await asked;
    return { desk, t, first: { table, rows, heard }, fault: null };
  } catch (fault) {
    return { desk, t, first: null, fault };
  }
}

/** A start that was made before there was a place to show it. */
export class Beginning {
  /** What came of it; null until then. */
  now: Start | null = null;
  readonly coming: Promise<Start>;

  constructor(of: Needed) {
    this.coming = begin(of);
    this.coming.then((start) => (this.now = start), () => {});
  }
}
