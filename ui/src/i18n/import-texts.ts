import type { Loaders, Texts } from './types';

/** The UI text of the import page until a file has been sent. */
export const importTexts: Loaders<Texts> = {
  en: () => import('./import.en.json'),
  de: () => import('./import.de.json'),
  ar: () => import('./import.ar.json'),
};
