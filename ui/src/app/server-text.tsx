import type { Message } from '../i18n/types';
import { useShared } from './context';

/**
 * Shows a message from the server, in English if the language of the page lacks it. The text direction is
 * detected, because the message may quote anything.
 */
export function ServerText({ message }: { message: Message }) {
  const { locale } = useShared();
  const rendered = locale.renderMessage?.(message) ?? null;
  const english = message.code && rendered === null;
  return <span lang={english ? 'en' : undefined} dir="auto" class="sentence">{rendered ?? message.text}</span>;
}

/** Shows text from the file. It is shortened, but otherwise unchanged. */
export function Raw({ text }: { text: string }) {
  return <bdi class="raw">{truncate(text)}</bdi>;
}

const maxLength = 120;

/** Shortens text to a number of characters. */
export function truncate(text: string, length = maxLength): string {
  const signs = [...text.slice(0, 4 * length)];
  return signs.length > length || text.length > 4 * length ? `${signs.slice(0, length).join('')}…` : text;
}
