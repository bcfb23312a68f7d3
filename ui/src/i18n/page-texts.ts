import type { Loaders, Texts } from './types';

/** The UI text of the page. Each language is one chunk together with the UI text of the cells step. */
export const pageTexts: Loaders<Texts> = {
  en: () => import('./en').then((all) => ({ default: all.page })),
  de: () => import('./de').then((all) => ({ default: all.page })),
  ar: () => import('./ar').then((all) => ({ default: all.page })),
};
