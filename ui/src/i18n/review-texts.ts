import { cataloguesOf } from './catalogues';
import type { Texts } from './types';

/** The UI text of the review page. Each language is one chunk. */
export const reviewTexts = cataloguesOf(import.meta.glob<{ default: Texts }>('./review.*.json'));
