import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Fault, unwrap, type FilePreview } from '../api';
import { Button, Spinner } from '../kit';
import { useShared } from './context';
import { noneAnswer } from './questions/drafts';
import { Raw } from './server-text';

interface Props {
  /** The answer about the header: a row, a range of rows, "none", or "" if nothing is chosen. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Maximum numbers of rows and columns that are shown. */
const maxRows = 100;
const maxColumns = 30;

/** Returns the first and last row of a header, counted from 1; null if the answer names no row. */
export function rowsOf(value: string): { first: number; last: number } | null {
  const found = /^(\d+)(?:-(\d+))?$/.exec(value);
  return found ? { first: Number(found[1]), last: Number(found[2] ?? found[1]) } : null;
}

/** The first rows of the file, of which the user chooses the header row. */
export function FileTop({ value, onChange }: Props) {
  const { t, review } = useShared();
  const [preview, setPreview] = useState<FilePreview | null>(null);
  const [failed, setFailed] = useState(false);
  const name = useId();
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    unwrap(review.api.calls.GET('/api/review/v1/{id}/preview/', { params: { path: review.api.path, query: { rows: maxRows } } })).then(setPreview, (error: unknown) => {
      if (error instanceof Fault && error.endsReview) review.fail(error);
      setFailed(true);
    });
  }, []);
  const chosen = rowsOf(value);
  useEffect(() => body.current?.querySelector('.is-header')?.scrollIntoView({ block: 'nearest' }), [preview !== null]);
  if (failed) return <p role="alert">{t('top.failed')}</p>;
  if (!preview) return <p class="dialog-wait"><Spinner /> {t('top.loading')}</p>;
  const columns = Math.min(maxColumns, Math.max(1, ...preview.rows.map((row) => row.length)));
  return (
    <div class="top">
      <p class="quiet">{chosen && chosen.first > 1 ? t('top.above', { n: chosen.first - 1 }) : t('top.hint')}</p>
      <div class="top-scroll" tabIndex={0} role="group" aria-label={t('top.title')}>
        <table class="top-table">
          <tbody ref={body}>
            {preview.rows.map((row, at) => (
              <Row key={at} number={at + 1} row={row} columns={columns} chosen={chosen} none={value === noneAnswer} name={name} onChange={onChange} />
            ))}
          </tbody>
        </table>
      </div>
      <Button small pressed={value === noneAnswer} onClick={() => onChange(value === noneAnswer ? '' : noneAnswer)}>{t('reading.noHeader')}</Button>
    </div>
  );
}

interface RowProps {
  readonly number: number;
  readonly row: readonly string[];
  readonly columns: number;
  readonly chosen: { first: number; last: number } | null;
  readonly none: boolean;
  readonly name: string;
  readonly onChange: (value: string) => void;
}

function Row({ number, row, columns, chosen, none, name, onChange }: RowProps) {
  const { t } = useShared();
  const isHeader = chosen !== null && chosen.first <= number && number <= chosen.last;
  const isAbove = chosen !== null && number < chosen.first && !none;
  return (
    <tr class={isHeader ? 'is-header' : isAbove ? 'is-above' : undefined} onClick={() => onChange(String(number))}>
      <th scope="row">
        <label>
          <input type="radio" name={name} checked={chosen?.first === number} onChange={() => onChange(String(number))} aria-label={t('top.row', { row: number })} />
          <span aria-hidden="true">{number}</span>
        </label>
      </th>
      {Array.from({ length: columns }, (_, at) => <td key={at}>{row[at] && <Raw text={row[at]} />}</td>)}
    </tr>
  );
}
