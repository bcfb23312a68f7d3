import type { Loaders, Locale, Texts, Translator, Values } from './types';

/**
 * Returns the translator of the page's UI text. Inserted values are isolated, so that a name
 * in a different script does not change the direction of the sentence.
 */
export function createTranslator<Key extends string>(texts: Texts, locale: Locale): Translator<Key> {
  const translate = (key: Key, values: Values = {}) => {
    const entry = texts[key];
    if (entry === undefined) return key;
    const text = typeof entry === 'string' ? entry : (entry[locale.plural(Number(values.n ?? 0))] ?? entry.other ?? key);
    return fill(text, values, locale);
  };
  return Object.assign(translate, { locale });
}

function fill(text: string, values: Values, locale: Locale): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? locale.number(value) : locale.isolate(value);
  });
}

/** Loads the page's UI text in the user's language. */
export async function loadTexts<Key extends string>(locale: Locale, loaders: Loaders<Texts>): Promise<Translator<Key>> {
  const texts = await loaders[locale.language]();
  return createTranslator<Key>(texts.default, locale);
}
