import type { Catalogues } from '../words/words';

/** The sentences of the page, each language in a file of its own. */
export const catalogues: Catalogues = {
  en: () => import('../words/en.json'),
  de: () => import('../words/de.json'),
  ar: () => import('../words/ar.json'),
};
