import type { Locale, Translator } from '../i18n/types';
import { loadTexts } from '../i18n/texts';
import { reviewTexts } from '../i18n/review-texts';

export type Key = keyof typeof import('../i18n/review.en.json');
/** Returns text of the cells step in the language of the page. */
export type T = Translator<Key>;

export function loadCellsTexts(locale: Locale): Promise<T> {
  return loadTexts<Key>(locale, reviewTexts);
}
