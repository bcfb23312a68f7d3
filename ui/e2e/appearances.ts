import type { Look } from './person';

/** All appearances in which the page is tested. */
const all: Readonly<Record<string, Look>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  german: { colorScheme: 'light', query: '?lang=de', viewport: { width: 900, height: 800 } },
  arabic: { colorScheme: 'light', query: '?lang=ar' },
  'arabic-dark': { colorScheme: 'dark', query: '?lang=ar' },
  zoomed: { colorScheme: 'light', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
  narrow: { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
};

/**
 * The appearances of this run: those that E2E_LOOKS names ("dark,arabic"), "all", or without it the first one and two
 * others at random. The names of the tests contain them.
 */
export const looks = Object.fromEntries(chosen().map((name) => [name, all[name]!]));

function chosen(): string[] {
  const names = Object.keys(all);
  const named = process.env.E2E_LOOKS;
  if (named === 'all') return names;
  if (named) {
    const unknown = named.split(',').filter((name) => !names.includes(name));
    if (unknown.length > 0) throw new Error(`E2E_LOOKS: unknown appearance ${unknown.join(', ')}; choose from ${names.join(', ')}`);
    return named.split(',');
  }
  const others = names.slice(1);
  while (others.length > 2) others.splice(Math.floor(Math.random() * others.length), 1);
  return [names[0]!, ...others];
}
