import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The head of a step. It takes the focus, so that who listens hears where they are. */
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
