import { cataloguesOf } from './catalogues';
import type { Texts } from './types';

/** The UI text of the cells step. Each language is one chunk together with the UI text of the page. */
export const cellsTexts = cataloguesOf(import.meta.glob<{ default: Texts }>('./cells.*.json'));
