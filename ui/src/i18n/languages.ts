/** The languages that the page has texts in. */
export const languages = ['en', 'de', 'ar'] as const;
export type Language = (typeof languages)[number];

/** A language to speak, and the tag by which it was wished for. */
export interface ChosenLanguage {
  readonly language: Language;
  readonly tag: string;
}

/** What is asked for, else the first that a person reads and we write. */
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
