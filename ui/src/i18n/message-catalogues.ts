import type { Catalogue, Catalogues } from './types';

/** Renders the messages of the service. */
export const renderer = () => import('./message-renderer');

/** The messages of the service by code. Those of one language are one file. */
export const catalogues: Catalogues = {
  en: () => import('../../../messages/en.json') as Promise<{ default: Catalogue }>,
  de: () => import('../../../messages/de.json') as Promise<{ default: Catalogue }>,
  ar: () => import('../../../messages/ar.json') as Promise<{ default: Catalogue }>,
};
