import type { Locale, Translator } from '../i18n/types';
import { loadMessages } from '../i18n/messages';
import { loadTexts } from '../i18n/texts';
import { reviewTexts } from '../i18n/review-texts';

export type Key = keyof typeof import('../i18n/review.en.json');
/** Returns text of the cells step in the language of the page. */
export type T = Translator<Key>;

export async function loadCellsTexts(locale: Locale): Promise<T> {
  // The service sends its messages in English, so English pages need not wait for them.
  const messages = locale.language === 'en' ? null : loadMessages(locale, 'cells').catch(() => {});
  const t = await loadTexts<Key>(locale, reviewTexts);
  await messages;
  return t;
}
