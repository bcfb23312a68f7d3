import type { Catalogue } from '../types';

/** What makes patterns of the sentences of the service, for the languages that it does not speak. */
export const rewording = () => import('./rewording');

/** Those sentences in other words, each language in a file of its own. */
export const catalogues = {
  de: () => import('./de.json') as Promise<{ default: Catalogue }>,
  ar: () => import('./ar.json') as Promise<{ default: Catalogue }>,
};
