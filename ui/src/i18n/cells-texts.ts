import type { Loaders, Texts } from './types';

/** The texts of the cells step. Those of one language are one chunk, with those of the page. */
export const cellsTexts: Loaders<Texts> = {
  en: () => import('./en').then((all) => ({ default: all.cells })),
  de: () => import('./de').then((all) => ({ default: all.cells })),
  ar: () => import('./ar').then((all) => ({ default: all.cells })),
};
