import { directionOf, chooseLanguage, type ChosenLanguage } from './languages';
import { plainNumber, plainPlural } from './plain';
import { loadMessageRenderer, messageCatalogues } from './message-catalogues';
import type { Loaders, Locale, Message, Texts, Translator, Values } from './types';

export { languages, type Language } from './languages';

/** The language to speak: what is asked for, else the first that a person reads and we write. */
export function chooseLocale(asked: string | null, reads: readonly string[]): Locale {
  return makeLocale(chooseLanguage(asked, reads));
}

// What may turn a sentence that runs from left to right, and what would end its isolation.
const turning = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\ud802\ud803\ud83a\ud83b]/;
const ends = /[\u2066-\u2069]/g;

function makeLocale({ language, tag: wanted }: ChosenLanguage): Locale {
  const [tag = language] = canonical(wanted);
  // They take a browser a while to make, and most pages need few of them.
  const numbers = once(() => new Intl.NumberFormat(tag));
  const percents = once(() => new Intl.NumberFormat(tag, { style: 'percent' }));
  const days = once(() => new Intl.DateTimeFormat(tag, { dateStyle: 'long' }));
  const moments = once(() => new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short' }));
  const plurals = once(() => new Intl.PluralRules(tag));
  const lists = once(() => new Intl.ListFormat(tag, { type: 'conjunction' }));
  return {
    language,
    tag,
    renderMessage: null,
    direction: directionOf(language),
    number: (n) => plainNumber(tag, n) ?? numbers().format(n),
    figure: (text) => new Intl.NumberFormat(tag, { useGrouping: false, minimumFractionDigits: text.split('.')[1]?.length ?? 0 }).format(text as Intl.StringNumericLiteral),
    percent: (share) => percents().format(share),
    day: (time) => days().format(new Date(time)),
    moment: (time) => moments().format(new Date(time)),
    plural: (n) => plainPlural(language, n) ?? plurals().select(n),
    list: (texts) => lists().format(texts),
    isolate: (text) => (language === 'ar' || turning.test(text) ? `\u2068${text.replace(ends, '')}\u2069` : text),
  };
}

/** Makes a thing when it is first wanted. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function canonical(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag);
  } catch {
    return []; // what is asked for in the address may be anything
  }
}

/**
 * Makes the translator of the page's texts. Values that stand for braces are isolated:
 * a name in another script does not turn the sentence around it.
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

/** Loads the page's texts in the person's language, and where that is not English, the messages of the service. */
export async function loadTexts<Key extends string>(locale: Locale, loaders: Loaders<Texts>): Promise<Translator<Key>> {
  // The service sends its messages in English: nothing waits for them there.
  const messages = locale.language === 'en' ? null : loadMessages(locale).catch(() => {});
  const own = await loaders[locale.language]();
  await messages;
  return createTranslator<Key>(own.default, locale);
}

/** Loads what renders the messages of the service in the language of the page. */
export async function loadMessages(locale: Locale): Promise<void> {
  const [{ messageRenderer }, catalogue] = await Promise.all([loadMessageRenderer(), messageCatalogues[locale.language]()]);
  locale.renderMessage ??= messageRenderer(catalogue.default, locale);
}

/**
 * The text of a message of the service in the language of the page. Where its code is
 * not known that is the English sentence that came along; a message without a code is a
 * text of the organization, and stays as it is.
 */
export function messageText({ locale }: { readonly locale: Locale }, message: Message): string {
  return locale.renderMessage?.(message) ?? message.text ?? '';
}
