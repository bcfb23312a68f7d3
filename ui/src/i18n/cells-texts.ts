import type { Loaders, Texts } from './types';

/** The UI text of the cells step. Each language is one chunk together with the UI text of the page. */
export const cellsTexts: Loaders<Texts> = {
  en: () => import('./en').then((all) => ({ default: all.cells })),
  de: () => import('./de').then((all) => ({ default: all.cells })),
  ar: () => import('./ar').then((all) => ({ default: all.cells })),
};
