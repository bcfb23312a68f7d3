import { directionOf, chooseLanguage, type ChosenLanguage } from './languages';
import { plainNumber, plainPlural } from './plain';
import type { Locale } from './types';

/** Returns the locale for the requested language or, if that is not supported, for the user's languages. */
export function chooseLocale(asked: string | null, reads: readonly string[]): Locale {
  return makeLocale(chooseLanguage(asked, reads));
}

// Characters that may change the direction of a left-to-right sentence, and characters that
// would end the isolation of text within it.
const turning = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\ud802\ud803\ud83a\ud83b]/;
const ends = /[\u2066-\u2069]/g;

function makeLocale({ language, tag: wanted }: ChosenLanguage): Locale {
  const [tag = language] = canonical(wanted);
  // Intl objects are slow to create, and most pages need few of them.
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
    onMessages: () => {},
    direction: directionOf(language),
    number: (n) => plainNumber(tag, n) ?? numbers().format(n),
    figure: (text) => new Intl.NumberFormat(tag, { useGrouping: false, minimumFractionDigits: text.split('.')[1]?.length ?? 0 }).format(text as Intl.StringNumericLiteral),
    percent: (share) => percents().format(share),
    day: (time) => days().format(new Date(time)),
    moment: (time) => moments().format(new Date(time)),
    plural: (n) => plainPlural(language, n) ?? plurals().select(n),
    list: (texts) => lists().format(texts),
    isolate: (text) => (directionOf(language) === 'rtl' || turning.test(text) ? `\u2068${text.replace(ends, '')}\u2069` : text),
  };
}

/** Returns a function that creates a value on first use. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function canonical(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag);
  } catch {
    return []; // the URL may contain any text
  }
}
