import type { Catalogues } from '../words/types';

/** The sentences of the cells. Those of one language are one file, with those of the page. */
export const catalogues: Catalogues = {
  en: () => import('../words/en').then((all) => ({ default: all.cells })),
  de: () => import('../words/de').then((all) => ({ default: all.cells })),
  ar: () => import('../words/ar').then((all) => ({ default: all.cells })),
};
