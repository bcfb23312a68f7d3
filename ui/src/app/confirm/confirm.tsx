import { useEffect, useRef, useState } from 'preact/hooks';
import { unwrap, Fault, type Submission } from '../../api';
import { Button, Note, Spinner } from '../../kit';
import { useReview, useShared } from '../context';
import { FaultNote } from '../notices';
import { ServerText } from '../server-text';
import { StepHeading } from '../step-heading';
import { useSubmit } from '../submit/context';
import { FirstRows } from './first-rows';
import { holdLoads, whileOpen } from './loaded';
import { Reasons } from './reasons';
import { summaryOf } from './summary';

/** The last step. It shows exactly what will be submitted, and submits it. */
export function Confirm() {
  const { review, t, locale, host } = useShared();
  const { facts, layout, connected } = useReview();
  const { showErrors } = useSubmit();
  const [submission, setSubmission] = useState<Submission | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [sending, setSending] = useState(false);

  const look = async () => {
    try {
      const counted = await whileOpen(() => unwrap(review.api.calls.GET('/api/review/v1/{id}/submit/', { params: { path: review.api.path } })));
      if (counted) setSubmission(counted);
    } catch (error) {
      onError(error);
    }
  };
  // Count again when somebody has changed rows, and when the connection is back.
  useEffect(() => {
    if (!connected) return;
    setFault(null);
    void look();
  }, [connected, facts]);

  // The buttons are always visible, but the fault may be out of view.
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    if (fault) main.current?.querySelector('[role=alert]')?.scrollIntoView({ block: 'center' });
  }, [fault]);

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
    const release = await holdLoads();
    try {
      await unwrap(review.api.calls.POST('/api/review/v1/{id}/submit/', { params: { path: review.api.path } }));
      await review.refresh();
      release();
    } catch (error) {
      release();
      onError(error);
    }
    setSending(false);
  };
  const summary = submission && summaryOf(submission, { behavior: facts?.invalidDataBehavior, fileRows: facts?.num_data_rows ?? 0, changes: layout?.changes ?? 0, needsRows: host?.forbids?.submittingNone }, t);
  const bad = submission ? submission.rowsWithError + submission.rowsLeftOut : 0;
  return (
    <main class="column is-wide" ref={main}>
      <StepHeading title={summary?.title ?? t('confirm.title')} lead={summary?.note} />
      {fault?.code === 'cancelled_by_hook' && fault.detail ? (
        <div role="alert">
          <Note tone="error" toneLabel={t('level.error')} title={t('submit.cancelled')}><ServerText message={fault.detail} /></Note>
        </div>
      ) : <FaultNote fault={connected ? fault : null} />}
      {!connected && <Note tone="warning" toneLabel={t('level.warning')} title={t(navigator.onLine ? 'lost.title' : 'offline.title')}>{t(navigator.onLine ? 'lost.lead' : 'submit.offline')}</Note>}
      {connected && !summary && !fault && <p class="dialog-wait"><Spinner /> {t('submit.counting')}</p>}
      {summary && (
        <dl class={`counts confirm-counts${summary.action ? ' is-open' : ''}`}>
          {summary.counts.map(({ n, label }) => <div key={label}><dt>{label}</dt><dd>{locale.number(n)}</dd></div>)}
        </dl>
      )}
      {bad > 0 && <Reasons turn={submission} />}
      {summary && !summary.empty && <FirstRows turn={submission} />}
      <footer class="column-foot">
        <p class="quiet">{summary?.action && t('submit.final')}</p>
        <Button disabled={sending} icon="back" event={bad > 0 ? 'SHOW_ROWS_WITH_ERRORS' : 'GO_BACK'} onClick={() => (bad > 0 ? showErrors() : review.goTo('cells'))}>{bad > 0 ? t('submit.showErrors') : t('submit.back')}</Button>
        {summary?.action && <Button look={summary.empty ? 'plain' : 'primary'} busy={sending} disabled={!connected} event="FINISH" onClick={() => void send()}>{summary.action}</Button>}
      </footer>
    </main>
  );
}
