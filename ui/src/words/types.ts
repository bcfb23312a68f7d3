import type { Language } from './languages';

/** Sentences by key: a text, or one for each plural form of the locale. */
export type Catalogue = Readonly<Record<string, string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>>;

/** What stands in the braces of a text. Numbers are written as the locale does; n also decides the plural. */
export type Values = Readonly<Record<string, string | number>>;

/** Gives the sentence of a key: t('rows', { n: 3 }). */
export interface Say<Key extends string> extends Rewords {
  (key: Key, values?: Values): string;
}

export interface Rewords {
  /** Where the page does not speak English, as the service does. */
  readonly reword?: Reword | undefined;
}

/** How a person's language writes things. */
export interface Locale {
  readonly language: Language;
  /** What the Intl objects are made with; the person's region where it speaks the language. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  number(n: number): string;
  /** A number of any length that is written with a point, without groups: what groups them here parts them elsewhere. */
  figure(text: string): string;
  percent(share: number): string;
  day(time: string): string;
  moment(time: string): string;
  /** 'a', 'b' and 'c' as one text. */
  list(texts: readonly string[]): string;
  /** For texts of any origin that stand in a sentence: its direction stays within. */
  isolate(text: string): string;
}

/** Words a sentence of the service in the person's language, by its code; null where it is none of those known. */
export type Reword = (code: string, text: string) => string | null;

/** A catalogue of each language, in a file of its own. */
export type Catalogues = Readonly<Record<Language, () => Promise<{ default: Catalogue }>>>;
