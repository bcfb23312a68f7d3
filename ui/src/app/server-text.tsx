import { reword } from '../words/words';
import { useShared } from './context';

interface Props {
  readonly text: string;
  /** By which it may be known in the language of the page: see reword. */
  readonly code?: string;
  /** It is in the language of the page already. */
  readonly own?: boolean;
}

/** A sentence that the service wrote: in English where it is none of those that the page knows, and it may quote anything. */
export function ServerText({ text, code = '', own = false }: Props) {
  const { t } = useShared();
  const worded = own ? text : reword(t, code, text);
  return <span lang={own || worded !== text ? undefined : 'en'} dir="auto" class="sentence">{worded}</span>;
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
