import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useReview, useShared } from '../context';
import type { CellsHandle, Standing } from '../frame';
import { SubmitDialog } from './dialog';
import { SubmitProvider, type Submitting } from './submit';

/** Holds what the cells tell, and the summary before a submission. */
export function SubmitPlace({ children }: { children: ComponentChildren }) {
  const { review } = useShared();
  const { facts, steps } = useReview();
  const [standing, setStanding] = useState<Standing | null>(null);
  const [handle, setHandle] = useState<CellsHandle | null>(null);
  const [shown, setShown] = useState(false);
  const [wish, setWish] = useState(false);
  const open = useCallback(() => setShown(true), []);
  const showErrors = useCallback(() => {
    setShown(false);
    review.goTo('cells');
    setWish(true);
  }, []);
  // The cells may have to be opened first.
  useEffect(() => {
    if (!wish || !handle) return;
    setWish(false);
    handle.showErrors();
  }, [wish, handle]);
  const ready = steps.some((step) => step.id === 'cells' && step.ready);
  const rows = standing?.rows ?? facts?.num_data_rows ?? 0;
  const pending = standing?.pending ?? 0;

  useEffect(() => {
    if (pending === 0) return undefined;
    // What has no verdict yet would be lost with the page.
    const keep = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', keep);
    return () => removeEventListener('beforeunload', keep);
  }, [pending > 0]);

  const given = useMemo<Submitting>(() => ({ rows, ready, handle, open, showErrors, setStanding, setHandle }), [rows, ready, handle]);
  return (
    <SubmitProvider value={given}>
      {children}
      {shown && ready && <SubmitDialog pending={pending} onClose={() => setShown(false)} />}
    </SubmitProvider>
  );
}
