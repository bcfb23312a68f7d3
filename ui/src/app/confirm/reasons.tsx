import { messageOf, unwrap } from '../../api';
import { Icon } from '../../kit';
import { useShared } from '../context';
import { truncate, ServerText } from '../server-text';
import { useLoaded } from './loaded';

/** Maximum number of reasons listed. */
const maxListed = 6;

/** Lists why rows have errors, the most frequent reason first. `turn` changes when rows may have changed. */
export function Reasons({ turn }: { turn: unknown }) {
  const { review, t } = useShared();
  const found = useLoaded(async () => {
    const { calls, path } = review.api;
    const [table, counts] = await Promise.all([
      unwrap(calls.GET('/api/review/v1/{id}/table/', { params: { path } })),
      unwrap(calls.GET('/api/review/v1/{id}/counts/', { params: { path } })),
    ]);
    const labels = new Map(table.columns.map((column) => [column.key, column.label]));
    return counts.filter((one) => one.level === 'error').sort((a, b) => b.rows - a.rows).map((one) => ({ ...one, label: labels.get(one.key) ?? '' }));
  }, turn);
  if (!found || found.length === 0) return null;
  return (
    <section>
      <h2>{t('confirm.reasons')}</h2>
      <ul class="reasons">
        {found.slice(0, maxListed).map((one) => (
          <li key={`${one.key} ${one.code}`}>
            <Icon name="error" size={14} />
            <p>{one.label && <strong><bdi>{truncate(one.label, 60)}</bdi></strong>} <ServerText message={messageOf(one)} /></p>
            <span>{t('rows', { n: one.rows })}</span>
          </li>
        ))}
      </ul>
      {found.length > maxListed && <p class="quiet">{t('notices.more', { n: found.length - maxListed })}</p>}
    </section>
  );
}
