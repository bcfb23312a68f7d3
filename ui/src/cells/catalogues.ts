import type { Catalogue, Catalogues } from '../words/words';

/** The sentences of the cells, each language in a file of its own. */
export const catalogues: Catalogues = {
  en: () => import('./words/en.json') as Promise<{ default: Catalogue }>,
  de: () => import('./words/de.json') as Promise<{ default: Catalogue }>,
  ar: () => import('./words/ar.json') as Promise<{ default: Catalogue }>,
};
