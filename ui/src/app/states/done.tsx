import type { Import } from '../../api';
import { Button } from '../../kit';
import { useReview, useShared, type Key } from '../context';
import { Notices } from '../notices';
import { StatePage } from './state-page';
import { UnsentNote } from './unsent-note';

/** The final page of a successful import, with exact counts. */
export function Done({ facts }: { facts: Import }) {
  const { t, locale, host } = useShared();
  const { unsent } = useReview();
  const { sent, left, bad } = countsOf(facts);
  const lines = [
    { key: 'done.sent', n: sent, always: true },
    { key: 'done.bad', n: bad, always: false },
    { key: 'done.left', n: left, always: false },
  ] as const satisfies readonly { key: Key; n: number; always: boolean }[];
  const warnings = facts.import_errors.filter((one) => one.rowIndex === undefined && one.level !== 'info');
  return (
    <StatePage icon={sent === 0 ? 'info' : unsent ? 'warning' : 'good'} title={t('done.title')} lead={unsent ? undefined : t('done.lead')}>
      <UnsentNote />
      <dl class="counts">
        {lines.filter((line) => line.always || line.n > 0).map((line) => (
          <div key={line.key}>
            <dt>{t(line.key, { n: line.n })}</dt>
            <dd>{locale.number(line.n)}</dd>
          </div>
        ))}
      </dl>
      {facts.finished && <p class="quiet">{t('done.when', { when: locale.moment(facts.finished) })}</p>}
      <Notices notices={warnings} />
      {host && (
        <div class="state-actions">
          {host.returnUrl && <a class="k-button k-primary" href={host.returnUrl} rel="noreferrer">{t('done.return', { host: new URL(host.returnUrl).host })}</a>}
          {host.startOver && <Button onClick={() => host.startOver!(false)}>{t('done.another')}</Button>}
        </div>
      )}
    </StatePage>
  );
}

/**
 * Returns the number of submitted rows, the number of those with errors, and the number of
 * skipped rows.
 */
export function countsOf(facts: Import): { sent: number; left: number; bad: number } {
  const { num_data_rows: rows, num_rows_with_error: errors, invalidDataBehavior: behavior } = facts;
  const removed = behavior === 'REMOVE_INVALID_ROWS';
  return removed ? { sent: rows - errors, left: errors, bad: 0 } : { sent: rows, left: 0, bad: errors };
}
