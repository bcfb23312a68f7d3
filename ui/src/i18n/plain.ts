import type { Language } from './languages';

// Creating the first Intl object takes a browser 20 milliseconds or more, which delays the first
// paint. Most pages need only these formats, which work without Intl.
const between: Readonly<Record<string, string>> = {
  en: ',', 'en-US': ',', 'en-GB': ',', 'en-CA': ',', 'en-AU': ',', de: '.', 'de-DE': '.',
};

/** Formats an integer for a locale; undefined if that requires Intl. */
export function plainNumber(tag: string, n: number): string | undefined {
  const mark = between[tag];
  return mark !== undefined && Number.isSafeInteger(n) && !Object.is(n, -0) ? String(n).replace(/\B(?=(\d{3})+$)/g, mark) : undefined;
}

/** Returns the plural form of an integer; undefined if that requires Intl. */
export function plainPlural(language: Language, n: number): Intl.LDMLPluralRule | undefined {
  if ((language !== 'en' && language !== 'de') || !Number.isInteger(n)) return undefined;
  return Math.abs(n) === 1 ? 'one' : 'other';
}
