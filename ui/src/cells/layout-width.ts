import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** How much room there is: for a panel beside the table, below it, or for one row at a time. */
export type LayoutWidth = 'wide' | 'narrow' | 'small';

export function useLayoutWidth(of: RefObject<HTMLElement | null>): LayoutWidth {
  const [width, setWidth] = useState<LayoutWidth>(() => layoutWidth(innerWidth));
  useLayoutEffect(() => {
    // It reports once as it begins to observe, and the page is laid out by then.
    const watch = new ResizeObserver(() => setWidth(layoutWidth(of.current!.clientWidth)));
    watch.observe(of.current!);
    return () => watch.disconnect();
  }, []);
  return width;
}

export function layoutWidth(pixels: number): LayoutWidth {
  if (pixels < 560) return 'small';
  return pixels < 900 ? 'narrow' : 'wide';
}
