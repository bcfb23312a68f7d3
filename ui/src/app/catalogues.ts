import type { Catalogues } from '../words/types';

/** The sentences of the page. Those of one language are one file, with those of the cells. */
export const catalogues: Catalogues = {
  en: () => import('../words/en').then((all) => ({ default: all.page })),
  de: () => import('../words/de').then((all) => ({ default: all.page })),
  ar: () => import('../words/ar').then((all) => ({ default: all.page })),
};
