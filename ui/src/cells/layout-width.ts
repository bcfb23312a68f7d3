import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Layout by available width: panel next to the table, panel below it, or one row at a time. */
export type LayoutWidth = 'wide' | 'narrow' | 'small';

export function useLayoutWidth(of: RefObject<HTMLElement | null>): LayoutWidth {
  const [width, setWidth] = useState<LayoutWidth>(() => layoutWidth(innerWidth));
  useLayoutEffect(() => {
    // The observer also fires once when it starts, after layout.
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
