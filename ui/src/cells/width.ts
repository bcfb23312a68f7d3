import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** How much room there is: for a panel beside the table, below it, or for one row at a time. */
export type Width = 'wide' | 'narrow' | 'small';

export function useWidth(of: RefObject<HTMLElement | null>): Width {
  const [width, setWidth] = useState<Width>(() => widthOf(innerWidth));
  useLayoutEffect(() => {
    const measure = () => setWidth(widthOf(of.current!.clientWidth));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(of.current!);
    return () => watch.disconnect();
  }, []);
  return width;
}

export function widthOf(pixels: number): Width {
  if (pixels < 560) return 'small';
  return pixels < 900 ? 'narrow' : 'wide';
}
