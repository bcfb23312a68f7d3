import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** How much room there is: for a panel beside the table, below it, or for one row at a time. */
export type Width = 'wide' | 'narrow' | 'small';

export function useWidth(of: RefObject<HTMLElement | null>): Width {
  const [width, setWidth] = useState<Width>(() => widthOf(innerWidth));
  useLayoutEffect(() => {
    // It is told at once when it begins to watch, and the page is laid out by then.
    const watch = new ResizeObserver(() => setWidth(widthOf(of.current!.clientWidth)));
    watch.observe(of.current!);
    return () => watch.disconnect();
  }, []);
  return width;
}

export function widthOf(pixels: number): Width {
  if (pixels < 560) return 'small';
  return pixels < 900 ? 'narrow' : 'wide';
}
