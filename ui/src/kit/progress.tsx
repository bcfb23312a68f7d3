import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly label: string;
  /** Fraction of the work that is done, from 0 to 1; null if unknown. */
  readonly share: number | null;
}

/** A progress bar. */
export function Progress({ label, share }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const percent = share === null ? null : Math.round(Math.min(1, Math.max(0, share)) * 100);
  useLayoutEffect(() => {
    if (percent === null) bar.current!.style.removeProperty('inline-size');
    else bar.current!.style.setProperty('inline-size', `${percent}%`);
  }, [percent]);
  return (
    <div
      class={`k-progress${percent === null ? ' is-open' : ''}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent ?? undefined}
    >
      <div ref={bar} class="k-progress-bar" />
    </div>
  );
}

/** A spinner. The text next to it describes the action in progress. */
export function Spinner() {
  return <span class="k-spinner" aria-hidden="true" />;
}
