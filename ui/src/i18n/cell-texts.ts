import type { Catalogues } from './types';

/** The sentences of the cells. Those of one language are one file, with those of the page. */
export const catalogues: Catalogues = {
  en: () => import('./en').then((all) => ({ default: all.cells })),
  de: () => import('./de').then((all) => ({ default: all.cells })),
  ar: () => import('./ar').then((all) => ({ default: all.cells })),
};
