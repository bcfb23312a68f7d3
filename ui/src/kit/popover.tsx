import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  /** The element next to which the popover appears. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly label?: string;
  readonly role?: 'menu' | 'dialog' | 'listbox';
  readonly id?: string;
  readonly class?: string;
  /** Whether the popover is at least as wide as its anchor. */
  readonly fits?: boolean;
  /** A position in the window to use instead of the anchor's, for example for a context menu. */
  readonly at?: { readonly x: number; readonly y: number };
}

const gap = 4;

/** A panel that floats next to its anchor. Esc or a click outside closes it. */
export function Popover({ anchor, onClose, children, label, role = 'dialog', id, fits, at, ...rest }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  const closing = useRef(onClose);
  closing.current = onClose;

  useLayoutEffect(() => {
    const element = panel.current!;
    element.showPopover();
    const settle = () => place(element, at ? new DOMRect(at.x, at.y, 0, 0) : anchor.current!.getBoundingClientRect(), fits === true);
    settle();
    const watch = new ResizeObserver(settle);
    watch.observe(element);
    addEventListener('resize', settle);
    addEventListener('scroll', settle, true);
    return () => {
      watch.disconnect();
      removeEventListener('resize', settle);
      removeEventListener('scroll', settle, true);
    };
  }, []);

  useEffect(() => {
    const outside = (event: Event) => {
      const path = event.composedPath();
      if (!path.includes(panel.current!) && !(anchor.current && path.includes(anchor.current))) closing.current();
    };
    addEventListener('pointerdown', outside, true);
    return () => removeEventListener('pointerdown', outside, true);
  }, []);

  return (
    <div
      ref={panel}
      id={id}
      popover="manual"
      role={role}
      aria-label={label}
      class={`k-popover ${rest.class ?? ''}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
        anchor.current?.focus();
      }}
    >
      {children}
    </div>
  );
}

/** Positions the panel below the anchor, or above it if the panel does not fit below and there is more room above. */
function place(panel: HTMLElement, anchor: DOMRect, fits: boolean): void {
  const style = panel.style;
  if (fits) style.setProperty('min-inline-size', `${anchor.width}px`);
  style.removeProperty('max-block-size');
  const { width, height } = panel.getBoundingClientRect();
  const below = innerHeight - anchor.bottom - 2 * gap;
  const above = anchor.top - 2 * gap;
  const up = height > below && above > below;
  const left = getComputedStyle(panel).direction === 'rtl' ? anchor.right - width : anchor.left;
  style.setProperty('left', `${Math.max(gap, Math.min(left, innerWidth - width - gap))}px`);
  style.setProperty('top', `${up ? Math.max(gap, anchor.top - gap - Math.min(height, above)) : anchor.bottom + gap}px`);
  style.setProperty('max-block-size', `${Math.max(96, up ? above : below)}px`);
}
