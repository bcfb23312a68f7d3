import { cataloguesOf } from './catalogues';
import type { Loaders, MessageCatalogue, MessagePart } from './types';

export { messageRenderer } from './message-renderer';

/** The parts of the service's messages, except those about cells, by code. */
export const catalogues: Readonly<Record<Exclude<MessagePart, 'cells'>, Partial<Loaders<MessageCatalogue>>>> = {
  files: cataloguesOf(import.meta.glob<{ default: MessageCatalogue }>('../../../messages/*.json', { query: '?part=files' })),
  // The other languages do not have these messages.
  formats: cataloguesOf(import.meta.glob<{ default: MessageCatalogue }>('../../../messages/{ar,de,en}.json', { query: '?part=formats' })),
  others: cataloguesOf(import.meta.glob<{ default: MessageCatalogue }>('../../../messages/{ar,de,en}.json', { query: '?part=others' })),
};
