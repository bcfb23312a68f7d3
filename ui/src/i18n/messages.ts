import type { Loaders, Locale, Message, MessageCatalogue } from './types';

/** Loads what renders the messages of the service. */
export const loadMessageRenderer = () => import('./message-renderer');

/** The messages of the service by code. Those of one language are one file. */
export const messageCatalogues: Loaders<MessageCatalogue> = {
  en: () => import('../../../messages/en.json') as Promise<{ default: MessageCatalogue }>,
  de: () => import('../../../messages/de.json') as Promise<{ default: MessageCatalogue }>,
  ar: () => import('../../../messages/ar.json') as Promise<{ default: MessageCatalogue }>,
};

/** Loads what renders the messages of the service in the language of the page. */
export async function loadMessages(locale: Locale): Promise<void> {
  const [{ messageRenderer }, catalogue] = await Promise.all([loadMessageRenderer(), messageCatalogues[locale.language]()]);
  locale.renderMessage ??= messageRenderer(catalogue.default, locale);
}

/**
 * The text of a message of the service in the language of the page. Where its code is
 * not known that is the English sentence that came along; a message without a code is a
 * text of the organization, and stays as it is.
 */
export function messageText({ locale }: { readonly locale: Locale }, message: Message): string {
  return locale.renderMessage?.(message) ?? message.text ?? '';
}
