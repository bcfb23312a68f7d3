import type { Message } from '../i18n/types';
import { useShared } from './context';

/** A message of the service: in English where its code is not known, and it may quote anything. */
export function ServerText({ message }: { message: Message }) {
  const { locale } = useShared();
  const rendered = locale.renderMessage?.(message) ?? null;
  const english = rendered === null && message.code;
  return <span lang={english ? 'en' : undefined} dir="auto" class="sentence">{rendered ?? message.text}</span>;
}

/** Text from a file, as it stands there. */
export function Raw({ text }: { text: string }) {
  return <bdi class="raw">{truncate(text)}</bdi>;
}

const maxLength = 120;

/** Text of any length, made short enough to be looked at. */
export function truncate(text: string, length = maxLength): string {
  const signs = [...text.slice(0, 4 * length)];
  return signs.length > length || text.length > 4 * length ? `${signs.slice(0, length).join('')}…` : text;
}
