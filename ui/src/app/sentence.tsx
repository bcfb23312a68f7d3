/** A sentence that the service wrote: in English, and it may quote anything. */
export function ServerSentence({ text }: { text: string }) {
  return <span lang="en" dir="auto" class="sentence">{text}</span>;
}

/** Text from a file, as it stands there. */
export function Raw({ text }: { text: string }) {
  return <bdi class="raw">{cut(text)}</bdi>;
}

const most = 120;

/** Text of any length, made short enough to be looked at. */
export function cut(text: string, length = most): string {
  const signs = [...text.slice(0, 4 * length)];
  return signs.length > length || text.length > 4 * length ? `${signs.slice(0, length).join('')}…` : text;
}
