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
  /** Leaves the review, so that the person can send another file. `forget` removes this import from those that the page remembers. */
  readonly startOver: (forget: boolean) => void;
}
