import type { Language } from './languages';
import type { Loaders, Texts } from './types';

type Files = Readonly<Record<string, () => Promise<{ default: Texts }>>>;

/** Returns the loaders of a set of files, one for each language. The names of files end in their language, such as `review.de.json` or `messages/de.json`. */
export function cataloguesOf(files: Files): Loaders<Texts> {
  const languageOf = (file: string) => file.split(/[./]/).at(-2) as Language;
  return Object.fromEntries(Object.entries(files).map(([file, load]) => [languageOf(file), load])) as Loaders<Texts>;
}
