import { cataloguesOf } from './catalogues';
import type { Texts } from './types';

/** The UI text of the import page and the widget until a file has been sent. */
export const importTexts = cataloguesOf(import.meta.glob<{ default: Texts }>('./import.*.json'));
