import type { Locale, Say } from '../words/types';
import { readWords } from '../words/words';
import { catalogues } from './catalogues';

export type Key = keyof typeof import('./words/en.json');
/** Says a sentence of the Cells step in the person's language. */
export type T = Say<Key>;

export function readCellWords(locale: Locale): Promise<T> {
  return readWords<Key>(locale, catalogues);
}
