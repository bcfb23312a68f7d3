import type { Language } from './languages';

/** A text, or one for each plural form of the locale. */
type TextForms = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/** The page's own texts in one language, by key. */
export type Texts = Readonly<Record<string, TextForms>>;

/** The messages of the service in one language, by code: messages/LANGUAGE.json. */
export type MessageCatalogue = Readonly<Record<string, TextForms>>;

/** Loads what each language has in a file of its own. */
export type Loaders<Content> = Readonly<Record<Language, () => Promise<{ default: Content }>>>;

/** What stands in the braces of a text. Numbers are written as the locale does; n also decides the plural. */
export type Values = Readonly<Record<string, string | number>>;

/** Gives the text of a key in the person's language: t('rows', { n: 3 }). */
export interface Translator<Key extends string> {
  (key: Key, values?: Values): string;
  readonly locale: Locale;
}

/**
 * A text of the service for people, as message.go writes it: a code and the parameters
 * of its sentence, or a literal text of the organization. With a code, text is the
 * English sentence, where it came along.
 */
export interface Message {
  readonly code?: string | undefined;
  readonly params?: Params | undefined;
  readonly text?: string | undefined;
}

/** The parameters of a message by name: texts, numbers, messages, and lists of texts or messages. The number n decides the plural. */
export type Params = Readonly<Record<string, unknown>>;

/** Renders a message in the language of the page; null where its code is not known, or has none. */
export type RenderMessage = (message: Message) => string | null;

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
  /** The plural form that a number takes. */
  plural(n: number): Intl.LDMLPluralRule;
  /** 'a', 'b' and 'c' as one text. */
  list(texts: readonly string[]): string;
  /** For texts of any origin that stand in a sentence: its direction stays within. */
  isolate(text: string): string;
  /** Renders the messages of the service; null until their catalogue is loaded. */
  renderMessage: RenderMessage | null;
}
