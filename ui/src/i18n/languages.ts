/** The languages of the page. */
export const languages = ['en', 'de', 'ar'] as const;
export type Language = (typeof languages)[number];

/** The language of the page, and the requested language tag. */
export interface ChosenLanguage {
  readonly language: Language;
  readonly tag: string;
}

/** Returns the requested language if it is supported, otherwise the first supported language of the user, or English if there is none. */
export function chooseLanguage(asked: string | null, reads: readonly string[]): ChosenLanguage {
  for (const tag of asked ? [asked, ...reads] : reads) {
    const language = languages.find((one) => one === tag.toLowerCase().split(/[-_]/)[0]);
    if (language) return { language, tag: tag.replaceAll('_', '-') };
  }
  return { language: 'en', tag: 'en' };
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}
