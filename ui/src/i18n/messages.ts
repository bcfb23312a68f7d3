import { cataloguesOf } from './catalogues';
import type { Locale, Message, MessageCatalogue } from './types';

/** Loads the message renderer. */
export const loadMessageRenderer = () => import('./message-renderer');

/** The service's messages by code, one file per language. */
export const messageCatalogues = cataloguesOf(import.meta.glob<{ default: MessageCatalogue }>('../../../messages/*.json'));

/** Loads the renderer and the messages in the language of the page. */
export async function loadMessages(locale: Locale): Promise<void> {
  const [{ messageRenderer }, catalogue] = await Promise.all([loadMessageRenderer(), messageCatalogues[locale.language]()]);
  locale.renderMessage ??= messageRenderer(catalogue.default, locale);
}

/**
 * Renders a message from the service in the language of the page. If its code is unknown,
 * returns the English sentence of the response. A message without a code is text written by
 * the organization and stays unchanged.
 */
export function messageText({ locale }: { readonly locale: Locale }, message: Message): string {
  return locale.renderMessage?.(message) ?? message.text ?? '';
}
