import { useId } from 'preact/hooks';
import { unwrap, type Cell } from '../../api';
import { useShared } from '../context';
import { truncate, Raw } from '../server-text';
import { useLoaded } from './loaded';
import { changedTextOf } from './raw-text';

/** Number of rows that are shown. */
const shownRows = 5;

/** The first rows without errors as they will be submitted. Below each value that differs from the text in the file is that text. `turn` changes when rows may have changed. */
export function FirstRows({ turn }: { turn: unknown }) {
  const { review, t } = useShared();
  const id = useId();
  const found = useLoaded(async () => {
    const { calls, path } = review.api;
    const query = { show: 'valid', from: 0, count: shownRows } as never;
    const [table, { rows }] = await Promise.all([
      unwrap(calls.GET('/api/review/v1/{id}/table/', { params: { path } })),
      unwrap(calls.GET('/api/review/v1/{id}/rows/', { params: { path, query } })),
    ]);
    return { table, rows };
  }, turn);
  if (!found || found.rows.length === 0) return null;
  const { table: { columns }, rows } = found;
  return (
    <section class="first-rows">
      <h2 id={id}>{t('confirm.preview', { n: rows.length })}</h2>
      <div class="top-scroll" tabIndex={0} role="group" aria-labelledby={id}>
        <table class="top-table">
          <thead>
            <tr>{columns.map((column, at) => column.hidden || <th key={at} scope="col"><bdi>{truncate(column.label, 60)}</bdi></th>)}</tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>{row.cells.map((cell, at) => columns[at]?.hidden || <td key={at}><Value cell={cell} /></td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Value({ cell }: { cell: Cell }) {
  const { t } = useShared();
  const { value } = cell;
  const text = changedTextOf(cell);
  if (value === null || value === '') return <span class="quiet"><span aria-hidden="true">–</span><span class="k-unseen">{t('confirm.empty')}</span></span>;
  return (
    <>
      <Raw text={value} />
      {text !== '' && <span class="first-raw"><span class="k-unseen">{t('confirm.inFile')} </span><Raw text={text} /></span>}
    </>
  );
}
