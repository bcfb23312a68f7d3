import { cataloguesOf } from './catalogues';
import type { Locale, Message, MessageCatalogue, MessagePart } from './types';

/** Loads the message renderer. */
export const loadMessageRenderer = () => import('./message-rendering');

/** The service's messages about cells by code, one file per language. */
export const cellMessages = cataloguesOf(import.meta.glob<{ default: MessageCatalogue }>('../../../messages/*.json', { query: '?part=cells' }));

/** The messages that have been loaded, by locale. */
const loaded = new WeakMap<Locale, MessageCatalogue>();

/**
 * Loads the renderer and parts of the messages in the language of the page. When a message is missing for
 * the first time, the other parts are loaded, and then locale.onMessages is called.
 */
export async function loadMessages(locale: Locale, ...parts: readonly MessagePart[]): Promise<void> {
  const renderer = loadMessageRenderer();
  const load = async (part: MessagePart) => (part === 'cells' ? cellMessages : (await renderer).catalogues[part])[locale.language]?.();
  const [{ messageRenderer }, ...catalogues] = await Promise.all([renderer, ...parts.map(load)]);
  const known = loaded.get(locale) ?? {};
  loaded.set(locale, Object.assign(known, ...catalogues.map((one) => one?.default)));
  if (locale.renderMessage) return;
  const render = messageRenderer(known, locale);
  let complete = false;
  locale.renderMessage = (message) => {
    const text = render(message);
    if (text === null && message.code && !complete) {
      complete = true;
      void loadMessages(locale, 'cells', 'files', 'formats', 'others').then(locale.onMessages, () => (complete = false));
    }
    return text;
  };
}

/**
 * Renders a message from the service in the language of the page. If its code is unknown,
 * returns the English sentence of the response. A message without a code is text written by
 * the organization and stays unchanged.
 */
export function messageText({ locale }: { readonly locale: Locale }, message: Message): string {
  return locale.renderMessage?.(message) ?? message.text ?? '';
}
