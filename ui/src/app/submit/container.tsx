import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useAnnouncer } from '../../kit';
import { useReview, useShared } from '../context';
import type { CellsHandle, CellTotals } from '../../cells/host';
import type { StepId } from '../steps';
import { SubmitProvider, type SubmitContext } from './context';

/** Provides the counts of the rows, and waits for unsaved changes before leaving them. */
export function SubmitContainer({ children }: { children: ComponentChildren }) {
  const { review, t } = useShared();
  const { show } = useAnnouncer();
  const { facts, connected, reading } = useReview();
  const [totals, setTotals] = useState<CellTotals | null>(null);
  const [handle, setHandle] = useState<CellsHandle | null>(null);
  // When the file is read again, there are other rows. After the review, the import has the final counts.
  useEffect(() => setTotals(null), [reading]);
  const known = facts?.status === 'NEEDS_REVIEW' ? totals : null;
  const rows = known?.rows ?? facts?.num_data_rows ?? 0;
  const errors = known?.errors ?? facts?.num_rows_with_error ?? 0;
  const pending = totals?.pending ?? 0;
  const [errorsRequested, setErrorsRequested] = useState(false);
  const forgetPending = useCallback(() => setTotals((now) => now && { ...now, pending: 0 }), []);
  const showErrors = useCallback(() => {
    review.goTo('cells');
    setErrorsRequested(true);
  }, []);
  const goTo = useCallback((step: StepId) => {
    if (pending === 0 || !handle) return review.goTo(step);
    const lost = navigator.onLine ? t('unanswered') : t('submit.unsaved', { n: pending });
    show({ message: connected ? t('submit.saving', { n: pending }) : lost, tone: 'info' });
    void handle.whenSaved().then(() => review.goTo(step));
  }, [pending, handle, connected]);
  // The cells may have to load first.
  useEffect(() => {
    if (!errorsRequested || !handle) return;
    setErrorsRequested(false);
    handle.showErrors();
  }, [errorsRequested, handle]);

  useEffect(() => {
    if (pending === 0) return undefined;
    // Leaving the page would lose unsaved changes.
    const keep = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', keep);
    return () => removeEventListener('beforeunload', keep);
  }, [pending > 0]);

  const given = useMemo<SubmitContext>(() => ({ rows, errors, goTo, showErrors, setTotals, forgetPending, setHandle }), [rows, errors, goTo]);
  return <SubmitProvider value={given}>{children}</SubmitProvider>;
}
