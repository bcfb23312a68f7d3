import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useAnnouncer } from '../../kit';
import { useReview, useShared } from '../context';
import type { CellsHandle, Standing } from '../frame';
import type { StepId } from '../steps';
import { SubmitDialog } from './dialog';
import { SubmitProvider, type Submitting } from './submit';

/** Holds what the cells tell, and the summary before a submission. */
export function SubmitPlace({ children }: { children: ComponentChildren }) {
  const { review, t } = useShared();
  const { show } = useAnnouncer();
  const { facts, steps } = useReview();
  const [standing, setStanding] = useState<Standing | null>(null);
  const [handle, setHandle] = useState<CellsHandle | null>(null);
  const [shown, setShown] = useState(false);
  const rows = standing?.rows ?? facts?.num_data_rows ?? 0;
  const pending = standing?.pending ?? 0;
  const [wish, setWish] = useState(false);
  const open = useCallback(() => setShown(true), []);
  const showErrors = useCallback(() => {
    setShown(false);
    review.goTo('cells');
    setWish(true);
  }, []);
  const goTo = useCallback((step: StepId) => {
    if (pending === 0 || !handle) return review.goTo(step);
    show({ message: t('submit.saving', { n: pending }), tone: 'info' });
    void handle.settle().then(() => review.goTo(step));
  }, [pending, handle]);
  // The cells may have to be opened first.
  useEffect(() => {
    if (!wish || !handle) return;
    setWish(false);
    handle.showErrors();
  }, [wish, handle]);
  const ready = steps.some((step) => step.id === 'cells' && step.ready);

  useEffect(() => {
    if (pending === 0) return undefined;
    // What has no verdict yet would be lost with the page.
    const keep = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', keep);
    return () => removeEventListener('beforeunload', keep);
  }, [pending > 0]);

  const given = useMemo<Submitting>(() => ({ rows, ready, handle, open, goTo, showErrors, setStanding, setHandle }), [rows, ready, handle, goTo]);
  return (
    <SubmitProvider value={given}>
      {children}
      {shown && ready && <SubmitDialog pending={pending} onClose={() => setShown(false)} />}
    </SubmitProvider>
  );
}
