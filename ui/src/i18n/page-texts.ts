import type { Loaders, Texts } from './types';

/** The texts of the page. Those of one language are one chunk, with those of the cells. */
export const pageTexts: Loaders<Texts> = {
  en: () => import('./en').then((all) => ({ default: all.page })),
  de: () => import('./de').then((all) => ({ default: all.page })),
  ar: () => import('./ar').then((all) => ({ default: all.page })),
};
