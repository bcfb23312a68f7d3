import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Locale, Translator } from '../i18n/types';
import type en from '../i18n/review.en.json';
import type { ReviewHost } from './host';
import type { Review, ReviewState } from './review';

export type Key = keyof typeof en;
export type T = Translator<Key>;

export interface Shared {
  readonly review: Review;
  readonly locale: Locale;
  readonly t: T;
  /** The page that shows the review; null if it is the review page itself. */
  readonly host: ReviewHost | null;
}

const Context = createContext<Shared | null>(null);

export const SharedProvider = Context.Provider;

/** Returns the objects that all parts of the page share. */
export function useShared(): Shared {
  return useContext(Context)!;
}

/** Returns the state of the review, and renders the component again when it changes. */
export function useReview(): ReviewState {
  const { review } = useShared();
  const [state, setState] = useState(review.state);
  useEffect(() => {
    setState(review.state);
    return review.subscribe(() => setState(review.state));
  }, [review]);
  return state;
}
