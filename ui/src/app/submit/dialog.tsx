import { useEffect, useState } from 'preact/hooks';
import { ask, Fault, type Submission } from '../../api';
import { Button, Dialog, Note, Spinner } from '../../kit';
import { useReview, useShared } from '../context';
import { FaultNote } from '../parts';
import { ServerSentence } from '../sentence';
import { summaryOf } from './summary';
import { useSubmit } from './submit';

interface Props {
  /** Changes that are not saved yet. */
  readonly pending: number;
  readonly onClose: () => void;
}

/** Says exactly what would be sent, and sends it. */
export function SubmitDialog({ pending, onClose }: Props) {
  const { review, t } = useShared();
  const { facts, connected } = useReview();
  const { handle, showErrors } = useSubmit();
  const [submission, setSubmission] = useState<Submission | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [sending, setSending] = useState(false);

  const look = async () => {
    try {
      await handle?.settle();
      setSubmission(await ask(review.api.calls.GET('/api/review/v1/{id}/submit/', { params: { path: review.api.path } })));
    } catch (error) {
      take(error);
    }
  };
  // Once the connection is back, it goes on by itself.
  useEffect(() => {
    if (submission || !connected) return;
    setFault(null);
    void look();
  }, [connected]);

  const take = (error: unknown) => {
    const told = error instanceof Fault ? error : new Fault('lost');
    if (told.kind === 'unauthorized' || told.kind === 'gone') return review.fail(told);
    setFault(told);
    // The numbers were others by then: the new ones are shown before anything is sent.
    if (told.code === 'rows_with_error' || told.code === 'rows_changed') void look();
  };
  const send = async () => {
    setSending(true);
    setFault(null);
    try {
      await ask(review.api.calls.POST('/api/review/v1/{id}/submit/', { params: { path: review.api.path } }));
      await review.refresh();
      onClose();
    } catch (error) {
      take(error);
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
          {submission.rowsWithError + submission.rowsLeftOut > 0 && <Button look={summary.action ? 'plain' : 'primary'} onClick={showErrors} disabled={sending}>{t('submit.showErrors')}</Button>}
          {summary.action && <Button look="primary" busy={sending} disabled={!connected} onClick={() => void send()}>{summary.action}</Button>}
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
      {cancelled ? (
        <div role="alert">
          <Note tone="error" toneLabel={t('level.error')} title={t('submit.cancelled')}><ServerSentence text={fault.message} /></Note>
        </div>
      ) : <FaultNote fault={connected ? fault : null} />}
    </Dialog>
  );
}
