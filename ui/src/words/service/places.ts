/** A column as the service names it in a question, with why it was thought of. */
export interface Place {
  readonly header: string;
  /** Counted from 1. */
  readonly column: number;
  readonly why: string;
}

// A text between quotes is passed over whole: a header may hold anything.
const quoted = '"((?:[^"\\\\]|\\\\.)*)"';
const place = new RegExp(`${quoted} \\(column (\\d+)(?:: ((?:[^"()]|"(?:[^"\\\\]|\\\\.)*"|\\([^"()]*\\))*))?\\)`, 'y');

/** Reads '"Mail" (column 2: why), "Mail" (column 3)' from its beginning; rest is what stands behind it. */
export function placesIn(text: string): { places: Place[]; rest: string } {
  const places: Place[] = [];
  let at = 0;
  for (;;) {
    place.lastIndex = places.length === 0 ? 0 : at + 2;
    if (places.length > 0 && !text.startsWith(', ', at)) break;
    const found = place.exec(text);
    if (!found) break;
    places.push({ header: unquoted(found[1]!), column: Number(found[2]), why: found[3] ?? '' });
    at = place.lastIndex;
  }
  return { places, rest: text.slice(at) };
}

/** The reasons that stand behind each other with semicolons; those between quotes are the file's. */
export function clausesIn(text: string): string[] {
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|[^;"]|;(?! )|")+/g) ?? []).map((part) => part.trim()).filter((part) => part !== '');
}

/** What stands between quotes, with what is escaped there as it is. */
export function unquoted(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(.)/g, (_, wide?: string, narrow?: string, sign?: string) => {
    if (sign === undefined) return String.fromCharCode(parseInt(wide ?? narrow ?? '', 16));
    return { n: '\n', t: '\t', r: '\r' }[sign] ?? sign;
  });
}
