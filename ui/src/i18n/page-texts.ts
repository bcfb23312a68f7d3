import { cataloguesOf } from './catalogues';
import type { Texts } from './types';

/** The UI text of the page. Each language is one chunk together with the UI text of the cells step. */
export const pageTexts = cataloguesOf(import.meta.glob<{ default: Texts }>('./page.*.json'));
