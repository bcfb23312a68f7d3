import { Note } from '../../kit';
import { useReview, useShared } from '../context';
import { Raw } from '../server-text';

/**
 * Lists changes that could not be saved before the review ended, so that nothing is lost
 * silently.
 */
export function UnsentNote() {
  const { t } = useShared();
  const { unsent, facts, phase } = useReview();
  if (!unsent) return null;
  const submitted = phase === 'open' && facts?.status === 'SUCCESSFUL';
  return (
    <Note tone="warning" toneLabel={t('level.warning')} title={t(submitted ? 'unsent.submitted' : 'unsent.lost', { n: unsent.changes })}>
      <ul>
        {unsent.cells.map(({ row, column, text }, at) => (
          <li key={at}>{t('dataRow', { row })} · <Raw text={column} />: <strong>{text === '' ? '–' : <Raw text={text} />}</strong></li>
        ))}
        {unsent.more > 0 && <li>{t('lacking.more', { n: unsent.more })}</li>}
        {unsent.others > 0 && <li>{t('unsent.others', { n: unsent.others })}</li>}
      </ul>
    </Note>
  );
}
