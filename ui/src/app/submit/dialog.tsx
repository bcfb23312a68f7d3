import { useEffect, useState } from 'preact/hooks';
import { unwrap, Fault, type Submission } from '../../api';
import { Button, Dialog, Note, Spinner } from '../../kit';
import { useReview, useShared } from '../context';
import { FaultNote } from '../notices';
import { ServerText } from '../server-text';
import { summaryOf } from './summary';
import { useSubmit } from './context';

interface Props {
  /** Number of unsaved changes. */
  readonly pending: number;
  readonly onClose: () => void;
}

/** Shows exactly what will be submitted, and submits it. */
export function SubmitDialog({ pending, onClose }: Props) {
  const { review, t } = useShared();
  const { facts, connected } = useReview();
  const { handle, showErrors } = useSubmit();
  const [submission, setSubmission] = useState<Submission | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [sending, setSending] = useState(false);

  const look = async () => {
    try {
      await handle?.whenSaved();
      setSubmission(await unwrap(review.api.calls.GET('/api/review/v1/{id}/submit/', { params: { path: review.api.path } })));
    } catch (error) {
      onError(error);
    }
  };
  // Continue automatically when the connection is back.
  useEffect(() => {
    if (submission || !connected) return;
    setFault(null);
    void look();
  }, [connected]);

  const onError = (error: unknown) => {
    const cause = error instanceof Fault ? error : new Fault('lost');
    if (cause.endsReview) return review.fail(cause);
    setFault(cause);
    // The counts have changed, so show the new ones before submitting anything.
    if (cause.code === 'rows_with_error' || cause.code === 'rows_changed') void look();
  };
  const send = async () => {
    setSending(true);
    setFault(null);
    try {
      await unwrap(review.api.calls.POST('/api/review/v1/{id}/submit/', { params: { path: review.api.path } }));
      await review.refresh();
      onClose();
    } catch (error) {
      onError(error);
    }
    setSending(false);
  };
  const summary = submission && summaryOf(submission, facts?.invalidDataBehavior, t);
  const cancelled = fault?.code === 'cancelled_by_hook';
  return (
    <Dialog
      title={summary?.title ?? t('submit.title')}
      closeLabel={t('close')}
      onClose={onClose}
      held={sending}
      class="submit-dialog"
      foot={summary && (
        <>
          <Button onClick={onClose} disabled={sending}>{t('submit.back')}</Button>
          {submission.rowsWithError + submission.rowsLeftOut > 0 && <Button look={summary.action && !summary.empty ? 'plain' : 'primary'} onClick={showErrors} disabled={sending}>{t('submit.showErrors')}</Button>}
          {summary.action && <Button look={summary.empty ? 'plain' : 'primary'} busy={sending} disabled={!connected} onClick={() => void send()}>{summary.action}</Button>}
        </>
      )}
    >
      {!connected && <Note tone="warning" toneLabel={t('level.warning')} title={t('offline.title')}>{t('submit.offline')}</Note>}
      {connected && !summary && !fault && <p class="dialog-wait"><Spinner /> {pending > 0 ? t('submit.saving', { n: pending }) : t('submit.counting')}</p>}
      {summary && (
        <>
          <ul class="summary">{summary.lines.map((line) => <li key={line}>{line}</li>)}</ul>
          {summary.action && <p class="quiet">{t('submit.final')}</p>}
        </>
      )}
      {cancelled && fault.detail ? (
        <div role="alert">
          <Note tone="error" toneLabel={t('level.error')} title={t('submit.cancelled')}><ServerText message={fault.detail} /></Note>
        </div>
      ) : <FaultNote fault={connected ? fault : null} />}
    </Dialog>
  );
}
