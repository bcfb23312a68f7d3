import type { Connect } from '../api';

/**
 * The page that shows a review as a part of a longer flow. The review page then belongs to the
 * person who sent the file.
 */
export interface ReviewHost {
  readonly title: string;
  readonly company: string;
  readonly logoUrl: string;
  readonly returnUrl: string;
  readonly accentColor: string;
  /** Language tag; missing or null for that of the page. */
  readonly language?: string | null;
  /**
   * Hands the submitted rows over to the page that embeds the importer. Rejects if that page does not
   * accept them. Missing if there is no such page.
   */
  readonly deliver?: () => Promise<void>;
  /** Opens an event stream; missing if the cookie of the page authenticates it. */
  readonly connect?: Connect;
  /** Leaves the review, so that the person can send another file. `forget` removes this import from those that the page remembers. */
  readonly startOver: (forget: boolean) => void;
}
