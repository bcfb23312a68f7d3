import { useEffect, useState } from 'preact/hooks';
import type { Row as WireRow } from '../../api';
import { Button, Dialog } from '../../kit';
import type { Place } from '../columns';
import { foldCase, type Filter } from '../filter';
import type { Model } from '../model';
import type { EditSpec } from '../selection-scope';
import { Preview, reportFault, usePreview } from './preview';
import { ValueText } from '../value-text';
import type { DeleteRows, DialogProps } from './props';

/** Number of rows shown, and number of rows requested at a time. */
const shownRows = 5;
const atOnce = 1000;

/** The rows to delete. */
interface Doomed {
  readonly edit: EditSpec;
  readonly first: readonly ShownRow[];
  /** Number of rows that differ from the row that stays. */
  readonly differing: number;
}

interface ShownRow {
  readonly number: number;
  readonly texts: readonly string[];
}

/** Shows which rows would be deleted, and deletes them. */
export default function Delete({ model, open, onClose }: DialogProps<'delete'>) {
  const { t } = model;
  const [doomed, setDoomed] = useState<Doomed | null>(null);
  const [fault, setFault] = useState('');
  const columns = columnsOf(model, open.where.key);

  useEffect(() => {
    const asked = new AbortController();
    load(model, open, columns, asked.signal).then(setDoomed, (cause) => asked.signal.aborted || setFault(reportFault(model, cause)));
    return () => asked.abort();
  }, []);

  const look = usePreview(model, String(doomed !== null), doomed && ((signal) => model.preview(doomed.edit, signal)));
  const n = look.verdict?.deleted ?? 0;
  const title = t(open.keepFirst ? 'group.keepFirst' : 'group.delete', { n: open.rows });
  const apply = () => {
    model.deleteRows(doomed!.edit);
    onClose();
  };
  const foot = (
    <>
      <Button onClick={() => onClose()}>{t('cancel')}</Button>
      <Button look="danger" icon="remove" disabled={n === 0} onClick={apply}>{t('group.delete', { n: n || open.rows })}</Button>
    </>
  );
  return (
    <Dialog title={title} closeLabel={t('close')} onClose={() => onClose()} foot={foot} wide class="c-dialog">
      {doomed && doomed.first.length > 0 && <Rows model={model} label={title} columns={columns} rows={doomed.first} more={n - doomed.first.length} />}
      {doomed && doomed.differing > 0 && <p class="c-delete-differ">{t('delete.differ', { n: doomed.differing })}</p>}
      <Preview model={model} look={fault ? { verdict: null, fault, busy: false } : doomed ? look : { verdict: null, fault: '', busy: true }} idle="" />
      <p class="c-quiet c-delete-undo">{t('delete.undo')}</p>
    </Dialog>
  );
}

/** Returns the columns to show: the first ones, and the one with the problem. */
function columnsOf({ places }: Model, key: string | undefined): readonly Place[] {
  const first = places.slice(0, 3);
  const problem = places.find((place) => place.key === key);
  return !problem || first.includes(problem) ? first : [...first.slice(0, 2), problem];
}

async function load(model: Model, { where, first, keepFirst }: DeleteRows, columns: readonly Place[], signal: AbortSignal): Promise<Doomed> {
  const edit: EditSpec = { kind: 'delete', where };
  const shown = (row: WireRow): ShownRow => ({ number: Number(row.id) + 1, texts: columns.map((place) => row.cells[place.at]?.text ?? '') });
  if (first) return { edit, differing: 0, first: first.map((row) => ({ number: row.number, texts: columns.map((place) => row.cells[model.places.indexOf(place)]?.text ?? '') })) };
  if (!keepFirst) return { edit, differing: 0, first: (await model.tableApi.rows(where as Filter, '', 0, shownRows, signal)).rows.map(shown) };
  const { extra, differing } = laterDuplicates(await allRowsOf(model, where as Filter, signal), model.places.find((place) => place.key === where.key)!, where.code !== 'unique');
  return { edit: { kind: 'delete', where: { show: 'all', rows: extra.map((row) => row.id) } }, differing, first: extra.slice(0, shownRows).map(shown) };
}

async function allRowsOf({ tableApi }: Model, filter: Filter, signal: AbortSignal): Promise<WireRow[]> {
  const rows: WireRow[] = [];
  for (let view = ''; ;) {
    const came = await tableApi.rows(filter, view, rows.length, atOnce, signal);
    rows.push(...came.rows);
    view = came.view;
    if (came.rows.length === 0 || rows.length >= came.total) return rows;
  }
}

/**
 * Returns all rows but the first with each value, in order, and how many of them differ from
 * that first row in any cell. Rows whose value is unknown or truncated are never included.
 */
export function laterDuplicates(rows: readonly WireRow[], { at }: Pick<Place, 'at'>, ignoreCase: boolean): { extra: WireRow[]; differing: number } {
  const first = new Map<string, string>();
  const extra: WireRow[] = [];
  let differing = 0;
  for (const row of rows) {
    const { value, cut }: WireRow['cells'][number] & { cut?: boolean } = row.cells[at]!;
    if (value === null || value === '' || cut) continue;
    const key = ignoreCase ? foldCase(value) : value;
    const rest = JSON.stringify(row.cells.map((cell, other) => (other === at ? '' : cell.text)));
    const kept = first.get(key);
    if (kept === undefined) {
      first.set(key, rest);
      continue;
    }
    extra.push(row);
    if (kept !== rest) differing++;
  }
  return { extra, differing };
}

function Rows({ model: { t, host }, label, columns, rows, more }: { model: Model; label: string; columns: readonly Place[]; rows: readonly ShownRow[]; more: number }) {
  return (
    <div class="c-samples" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr><th scope="col" class="c-at-end">{t('grid.rowHeader')}</th>{columns.map((place) => <th key={place.column.key} scope="col"><bdi>{place.column.label}</bdi></th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.number}><td class="c-at-end c-quiet">{host.locale.number(row.number)}</td>{row.texts.map((text, at) => <td key={at}><ValueText t={t} place={columns[at]} text={text.slice(0, 200)} /></td>)}</tr>
          ))}
          {more > 0 && <tr><td /><td class="c-quiet" colSpan={columns.length}>{t('delete.more', { n: more })}</td></tr>}
        </tbody>
      </table>
    </div>
  );
}
