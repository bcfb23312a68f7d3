import { languages, type Language } from './languages';
import type { Loaders, Texts } from './types';

type Files = Readonly<Record<string, () => Promise<{ default: Texts }>>>;

/** Returns the loaders of a set of files, one for each language. The names of files end in their language, such as `review.de.json` or `messages/de.json`. */
export function cataloguesOf(files: Files): Loaders<Texts> {
  const of = (language: Language) => Object.entries(files).find(([name]) => name.split(/[./]/).at(-2) === language)![1];
  return Object.fromEntries(languages.map((language) => [language, of(language)])) as Loaders<Texts>;
}
