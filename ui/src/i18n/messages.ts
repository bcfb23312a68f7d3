import { chooseLocale } from './locale';
import { messageLanguageOf, type MessageLanguage } from './languages';
import type { Locale, Message, MessageCatalogue } from './types';

/** Loads the message renderer. */
export const loadMessageRenderer = () => import('./message-renderer');

/** The service's messages by code, one file per language. */
export const messageCatalogues: Readonly<Record<MessageLanguage, () => Promise<{ default: MessageCatalogue }>>> = {
  en: () => import('../../../messages/en.json') as Promise<{ default: MessageCatalogue }>,
  de: () => import('../../../messages/de.json') as Promise<{ default: MessageCatalogue }>,
  ar: () => import('../../../messages/ar.json') as Promise<{ default: MessageCatalogue }>,
};

/** Loads the renderer and the messages in the language of the page. Falls back to English. */
export async function loadMessages(locale: Locale): Promise<void> {
  const language = messageLanguageOf(locale.language);
  const [{ messageRenderer }, catalogue] = await Promise.all([loadMessageRenderer(), messageCatalogues[language]()]);
  locale.renderMessage ??= messageRenderer(catalogue.default, language === locale.language ? locale : chooseLocale(language, []));
}

/**
 * Renders a message from the service in the language of the page. If its code is unknown,
 * returns the English sentence of the response. A message without a code is text written by
 * the organization and stays unchanged.
 */
export function messageText({ locale }: { readonly locale: Locale }, message: Message): string {
  return locale.renderMessage?.(message) ?? message.text ?? '';
}
