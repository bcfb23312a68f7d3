import { useEffect, useState } from 'preact/hooks';
import { Fault } from '../../api';
import { useShared } from '../context';

/** The loads that are in progress, and whether others may begin. */
const loads = new Set<Promise<unknown>>();
let held = false;

/**
 * Waits for all loads, and starts no others until the returned function is called. After rows were
 * submitted, they can no longer be read.
 */
export async function holdLoads(): Promise<() => void> {
  held = true;
  await Promise.allSettled(loads);
  return () => (held = false);
}

/** Loads data, unless loads are held; null then. */
export async function whileOpen<T>(load: () => Promise<T>): Promise<T | null> {
  if (held) return null;
  const loading = load();
  loads.add(loading);
  try {
    return await loading;
  } finally {
    loads.delete(loading);
  }
}

/** Loads data, and again whenever `turn` changes; null until it has arrived. A part of a step without data stays empty. */
export function useLoaded<T>(load: () => Promise<T>, turn: unknown): T | null {
  const { review } = useShared();
  const [found, setFound] = useState<T | null>(null);
  useEffect(() => {
    let old = false;
    whileOpen(load).then((data) => old || data === null || setFound(data), (error: unknown) => {
      if (!old && error instanceof Fault && error.endsReview) review.fail(error);
    });
    return () => void (old = true);
  }, [turn]);
  return found;
}
