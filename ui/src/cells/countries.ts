import type { Choice } from '../../grid';

/** Codes that name no country of their own: groups of states, reserved, and for tests. */
const none = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));
const made = new Map<string, readonly Choice[]>();

/** All countries by ISO 3166 code, named as the browser names them. */
export function countries(locale: string): readonly Choice[] {
  const known = made.get(locale);
  if (known) return known;
  const list = codes(locale).sort((a, b) => a.label!.localeCompare(b.label!, locale));
  made.set(locale, list);
  return list;
}

function codes(locale: string): Choice[] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const list: Choice[] = [];
  for (const first of letters) {
    for (const second of letters) {
      const text = first + second;
      const label = none.has(text) || replaced(text) ? undefined : names.of(text);
      if (label) list.push({ text, label });
    }
  }
  return list;
}

/** Codes of countries that are no more lead to those that came after them. */
function replaced(code: string): boolean {
  return Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`;
}
