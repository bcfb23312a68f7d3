/** The languages of the pages, as the last part of the names of their catalogues. */
export const languages = [
  'en', 'ar', 'bn', 'cs', 'da', 'de', 'el', 'es', 'fa', 'fi', 'fr', 'he', 'hi', 'hr', 'hu', 'id', 'is', 'it', 'ja', 'ko', 'lt', 'lv', 'ms', 'nl', 'no',
  'pl', 'pt', 'ro', 'ru', 'sv', 'sw', 'th', 'tr', 'uk', 'ur', 'vi', 'zh_CN', 'zh_TW',
] as const;
export type Language = (typeof languages)[number];

/** The language of the page, and the requested language tag. */
export interface ChosenLanguage {
  readonly language: Language;
  readonly tag: string;
}

/** Returns the requested language if it is supported, otherwise the first supported language of the user, or English if there is none. */
export function chooseLanguage(asked: string | null, reads: readonly string[]): ChosenLanguage {
  for (const given of asked ? [asked, ...reads] : reads) {
    const tag = given.replaceAll('_', '-');
    const language = languageOf(tag.toLowerCase());
    if (language) return { language, tag };
  }
  return { language: 'en', tag: 'en' };
}

function languageOf(tag: string): Language | undefined {
  const [first] = tag.split('-');
  if (first === 'zh') return /hant|tw|hk|mo/.test(tag) ? 'zh_TW' : 'zh_CN';
  if (first === 'nb' || first === 'nn') return 'no';
  return languages.find((one) => one === first);
}

const rightToLeft: ReadonlySet<Language> = new Set(['ar', 'fa', 'he', 'ur']);

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return rightToLeft.has(language) ? 'rtl' : 'ltr';
}
