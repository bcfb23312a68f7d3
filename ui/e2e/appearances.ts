import type { Look } from './person';

/** The appearances in which the page is tested. */
export const looks: Readonly<Record<string, Look>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  arabic: { colorScheme: 'light', query: '?lang=ar' },
  'arabic-dark': { colorScheme: 'dark', query: '?lang=ar' },
  zoomed: { colorScheme: 'light', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
  narrow: { colorScheme: 'dark', viewport: { width: 400, height: 800 } },
};
