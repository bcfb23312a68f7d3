import type { Loaders, MessageCatalogue } from './types';

/** Loads what renders the messages of the service. */
export const loadMessageRenderer = () => import('./message-renderer');

/** The messages of the service by code. Those of one language are one file. */
export const messageCatalogues: Loaders<MessageCatalogue> = {
  en: () => import('../../../messages/en.json') as Promise<{ default: MessageCatalogue }>,
  de: () => import('../../../messages/de.json') as Promise<{ default: MessageCatalogue }>,
  ar: () => import('../../../messages/ar.json') as Promise<{ default: MessageCatalogue }>,
};
