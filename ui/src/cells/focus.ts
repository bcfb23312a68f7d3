import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A field that has the keyboard as soon as it is there; the dialog around it would give it to its title. */
export function useFirst<T extends HTMLElement>(): RefObject<T | null> {
  const field = useRef<T>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
