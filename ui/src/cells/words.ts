import { readWords, type Catalogue, type Locale, type Say } from '../words/words';

export type Key = keyof typeof import('./words/en.json');
/** Says a sentence of the Cells step in the person's language. */
export type T = Say<Key>;

const catalogues = {
  en: () => import('./words/en.json') as Promise<{ default: Catalogue }>,
  de: () => import('./words/de.json') as Promise<{ default: Catalogue }>,
  ar: () => import('./words/ar.json') as Promise<{ default: Catalogue }>,
};

export function readCellWords(locale: Locale): Promise<T> {
  return readWords<Key>(locale, catalogues);
}
