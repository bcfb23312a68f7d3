import type { Language } from './languages';

// To make an Intl object for the first time takes a browser 20 milliseconds or more,
// before anything is drawn. What most pages write is known without one.
const between: Readonly<Record<string, string>> = {
  en: ',', 'en-US': ',', 'en-GB': ',', 'en-CA': ',', 'en-AU': ',', de: '.', 'de-DE': '.',
};

/** A whole number as the locale writes it; undefined where only Intl knows. */
export function plainNumber(tag: string, n: number): string | undefined {
  const mark = between[tag];
  return mark !== undefined && Number.isSafeInteger(n) && !Object.is(n, -0) ? String(n).replace(/\B(?=(\d{3})+$)/g, mark) : undefined;
}

/** The plural form of a whole number; undefined where only Intl knows. */
export function plainPlural(language: Language, n: number): Intl.LDMLPluralRule | undefined {
  if (language === 'ar' || !Number.isInteger(n)) return undefined;
  return Math.abs(n) === 1 ? 'one' : 'other';
}
