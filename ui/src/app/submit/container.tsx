import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useAnnouncer } from '../../kit';
import { useReview, useShared } from '../context';
import type { CellsHandle, CellTotals } from '../../cells/host';
import type { StepId } from '../steps';
import { SubmitDialog } from './dialog';
import { SubmitProvider, type SubmitContext } from './context';

/** Provides the submit context and shows the submit dialog. */
export function SubmitContainer({ children }: { children: ComponentChildren }) {
  const { review, t } = useShared();
  const { show } = useAnnouncer();
  const { facts, steps } = useReview();
  const [totals, setTotals] = useState<CellTotals | null>(null);
  const [handle, setHandle] = useState<CellsHandle | null>(null);
  const [shown, setShown] = useState(false);
  const rows = totals?.rows ?? facts?.num_data_rows ?? 0;
  const pending = totals?.pending ?? 0;
  const [errorsRequested, setErrorsRequested] = useState(false);
  const open = useCallback(() => setShown(true), []);
  const showErrors = useCallback(() => {
    setShown(false);
    review.goTo('cells');
    setErrorsRequested(true);
  }, []);
  const goTo = useCallback((step: StepId) => {
    if (pending === 0 || !handle) return review.goTo(step);
    show({ message: t('submit.saving', { n: pending }), tone: 'info' });
    void handle.whenSaved().then(() => review.goTo(step));
  }, [pending, handle]);
  // The cells may have to load first.
  useEffect(() => {
    if (!errorsRequested || !handle) return;
    setErrorsRequested(false);
    handle.showErrors();
  }, [errorsRequested, handle]);
  const ready = steps.some((step) => step.id === 'cells' && step.ready);

  useEffect(() => {
    if (pending === 0) return undefined;
    // Leaving the page would lose unsaved changes.
    const keep = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', keep);
    return () => removeEventListener('beforeunload', keep);
  }, [pending > 0]);

  const given = useMemo<SubmitContext>(() => ({ rows, ready, handle, open, goTo, showErrors, setTotals, setHandle }), [rows, ready, handle, goTo]);
  return (
    <SubmitProvider value={given}>
      {children}
      {shown && ready && <SubmitDialog pending={pending} onClose={() => setShown(false)} />}
    </SubmitProvider>
  );
}
