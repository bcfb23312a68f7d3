import type { Locale, Translator } from '../i18n/types';
import { loadTexts } from '../i18n/texts';
import { cellsTexts } from '../i18n/cells-texts';

export type Key = keyof typeof import('../i18n/cells.en.json');
/** Gives a text of the Cells step in the person's language. */
export type T = Translator<Key>;

export function loadCellsTexts(locale: Locale): Promise<T> {
  return loadTexts<Key>(locale, cellsTexts);
}
