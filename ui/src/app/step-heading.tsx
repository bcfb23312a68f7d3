import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The heading of a step. It gets the focus, so that screen readers announce the step. */
export function StepHeading({ title, lead }: { title: string; lead?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [title]);
  return (
    <header class="column-head">
      <h1 ref={heading} tabIndex={-1}>{title}</h1>
      {lead && <p class="lead">{lead}</p>}
    </header>
  );
}
