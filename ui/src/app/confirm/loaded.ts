import { useEffect, useState } from 'preact/hooks';
import { Fault } from '../../api';
import { useShared } from '../context';

/** Loads data, and again whenever `turn` changes; null until it has arrived. A part of a step without data stays empty. */
export function useLoaded<T>(load: () => Promise<T>, turn: unknown): T | null {
  const { review } = useShared();
  const [found, setFound] = useState<T | null>(null);
  useEffect(() => {
    let old = false;
    load().then((data) => old || setFound(data), (error: unknown) => {
      if (!old && error instanceof Fault && error.endsReview) review.fail(error);
    });
    return () => void (old = true);
  }, [turn]);
  return found;
}
