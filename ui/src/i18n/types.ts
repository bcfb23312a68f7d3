import type { Language } from './languages';

/** One string, or one string per plural form of the locale. */
type TextForms = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/** The page's own UI text in one language, by key. */
export type Texts = Readonly<Record<string, TextForms>>;

/** The service's messages in one language, by code: messages/LANGUAGE.json. */
export type MessageCatalogue = Readonly<Record<string, TextForms>>;

/** The parts in which the pages load the service's messages; scripts/message-parts.mjs splits them. */
export type MessagePart = 'cells' | 'files' | 'formats' | 'others';

/** Functions that load the content of each language from its own file. */
export type Loaders<Content> = Readonly<Record<Language, () => Promise<{ default: Content }>>>;

/** Values of the placeholders in UI text. Numbers are formatted for the locale; n also selects the plural form. */
export type Values = Readonly<Record<string, string | number>>;

/** Returns the text of a key in the user's language: t('rows', { n: 3 }). */
export interface Translator<Key extends string> {
  (key: Key, values?: Values): string;
  readonly locale: Locale;
}

/**
 * A message from the service, as in message.go: a code with parameters, or literal text from
 * the organization. If there is a code, text is the English sentence, or undefined if the
 * response does not contain it.
 */
export interface Message {
  readonly code?: string | undefined;
  readonly params?: Params | undefined;
  readonly text?: string | undefined;
}

/** The parameters of a message by name: strings, numbers, messages, and lists of strings or messages. n selects the plural form. */
export type Params = Readonly<Record<string, unknown>>;

/** Renders a message in the language of the page; null if it has no code or its code is unknown. */
export type RenderMessage = (message: Message) => string | null;

/** Language-specific formatting. */
export interface Locale {
  readonly language: Language;
  /** Language tag for Intl objects; includes the user's region if it fits the language. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  number(n: number): string;
  /** Formats a decimal number of any length without grouping, because a different locale's decimal separator looks the same as a group separator. */
  figure(text: string): string;
  percent(share: number): string;
  day(time: string): string;
  moment(time: string): string;
  /** Returns the plural form for a number. */
  plural(n: number): Intl.LDMLPluralRule;
  /** Joins strings with commas and the word for "and" in the locale. */
  list(texts: readonly string[]): string;
  /** Isolates text within a sentence, so that its direction does not affect the rest. */
  isolate(text: string): string;
  /** Renders the service's messages; null until their catalogue is loaded. */
  renderMessage: RenderMessage | null;
  /** Called when more messages can be rendered; a page then renders again. */
  onMessages: () => void;
}
