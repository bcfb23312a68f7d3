import type { Catalogues } from './types';

/** The sentences of the page. Those of one language are one file, with those of the cells. */
export const catalogues: Catalogues = {
  en: () => import('./en').then((all) => ({ default: all.page })),
  de: () => import('./de').then((all) => ({ default: all.page })),
  ar: () => import('./ar').then((all) => ({ default: all.page })),
};
