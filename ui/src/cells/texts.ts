import type { Locale, Translator } from '../i18n/types';
import { loadTexts } from '../i18n/texts';
import { cellsTexts } from '../i18n/cells-texts';

export type Key = keyof typeof import('../i18n/cells.en.json');
/** Returns text of the cells step in the language of the page. */
export type T = Translator<Key>;

export function loadCellsTexts(locale: Locale): Promise<T> {
  return loadTexts<Key>(locale, cellsTexts);
}
