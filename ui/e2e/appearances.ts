import type { Look } from './person';

/** The appearances in which the page is tested. */
export const looks: Readonly<Record<string, Look>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  german: { colorScheme: 'light', query: '?lang=de', viewport: { width: 900, height: 800 } },
  arabic: { colorScheme: 'light', query: '?lang=ar' },
  'arabic-dark': { colorScheme: 'dark', query: '?lang=ar' },
  zoomed: { colorScheme: 'light', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
  narrow: { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
};
