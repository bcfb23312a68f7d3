import type { Message } from '../i18n/types';
import { useShared } from './context';

/** Shows a message of the service, in English if its code is unknown. Its direction is automatic, because it may quote anything. */
export function ServerText({ message }: { message: Message }) {
  const { locale } = useShared();
  const rendered = locale.renderMessage?.(message) ?? null;
  const english = rendered === null && message.code;
  return <span lang={english ? 'en' : undefined} dir="auto" class="sentence">{rendered ?? message.text}</span>;
}

/** Shows a text of the file unchanged, but shortened. */
export function Raw({ text }: { text: string }) {
  return <bdi class="raw">{truncate(text)}</bdi>;
}

const maxLength = 120;

/** Shortens a text to a number of characters. */
export function truncate(text: string, length = maxLength): string {
  const signs = [...text.slice(0, 4 * length)];
  return signs.length > length || text.length > 4 * length ? `${signs.slice(0, length).join('')}…` : text;
}
