import type { Locale, Say } from '../i18n/types';
import { readWords } from '../i18n/texts';
import { catalogues } from '../i18n/cell-texts';

export type Key = keyof typeof import('../i18n/cells.en.json');
/** Says a sentence of the Cells step in the person's language. */
export type T = Say<Key>;

export function readCellWords(locale: Locale): Promise<T> {
  return readWords<Key>(locale, catalogues);
}
