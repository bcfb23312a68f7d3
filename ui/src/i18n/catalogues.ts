import { languages, type Language } from './languages';
import type { Loaders, Texts } from './types';

type Files = Readonly<Record<string, () => Promise<{ default: Texts }>>>;

/** Returns the loaders of a set of files, one for each language. The name of a file ends in its language. */
export function cataloguesOf(files: Files): Loaders<Texts> {
  const of = (language: Language) => Object.entries(files).find(([name]) => name.endsWith(`.${language}.json`))![1];
  return Object.fromEntries(languages.map((language) => [language, of(language)])) as Loaders<Texts>;
}
