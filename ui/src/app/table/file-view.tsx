import { useEffect, useId, useRef } from 'preact/hooks';
import type { FilePreview, Question } from '../../api';
import { Button, Spinner, Tabs } from '../../kit';
import { useShared } from '../context';
import { columnLetters } from '../column-name';
import { noneAnswer } from '../questions/drafts';
import { Raw } from '../server-text';

/** Maximum numbers of rows and columns that are shown. */
export const maxRows = 100;
const maxColumns = 30;

interface Props {
  readonly preview: FilePreview;
  /** Whether a different sheet is being loaded. */
  readonly busy: boolean;
  readonly onSheet: (at: number) => void;
  /** The answer about the header: a row, a range of rows, "none", or "" if nothing is chosen. */
  readonly header: string;
  /** Chooses the header; null if the names of the columns are not in a row. */
  readonly onHeader: ((value: string) => void) | null;
  /** The open question about the header. */
  readonly question: Question | undefined;
}

/** Returns the first and last row of a header, counted from 1; null if the answer names no row. */
export function rowsOf(value: string): { first: number; last: number } | null {
  const found = /^(\d+)(?:-(\d+))?$/.exec(value);
  return found ? { first: Number(found[1]), last: Number(found[2] ?? found[1]) } : null;
}

/** The top of the file as it is stored, with a tab for each sheet. The user chooses the header row by clicking it. */
export function FileView({ preview, busy, onSheet, header, onHeader, question }: Props) {
  const { t } = useShared();
  const id = useId();
  const body = useRef<HTMLTableSectionElement>(null);
  const chosen = rowsOf(header);
  useEffect(() => body.current?.querySelector('.is-header')?.scrollIntoView({ block: 'nearest' }), [preview]);
  const columns = Math.min(maxColumns, Math.max(1, ...preview.rows.map((row) => row.length)));
  const none = header === noneAnswer;
  return (
    <div class="top" data-question={question?.id} aria-busy={busy}>
      {preview.sheets.length > 1 && (
        <Tabs
          label={t('reading.sheet')}
          controls={id}
          active={String(preview.sheet)}
          tabs={preview.sheets.map((sheet, at) => ({ id: String(at), label: <bdi>{sheet.name}</bdi> }))}
          onChange={(at) => onSheet(Number(at))}
        />
      )}
      <div class="top-said">
        <p role="status"><HeaderText header={header} open={question !== undefined} fixed={onHeader === null} /></p>
        {busy && <Spinner />}
        {onHeader && <Button small pressed={none} onClick={() => onHeader(none ? '' : noneAnswer)}>{t('reading.noHeader')}</Button>}
      </div>
      <div class="top-scroll" id={id} tabIndex={0} role="group" aria-label={t('top.title')}>
        <table class={`top-table${onHeader ? ' is-open' : ''}`}>
          <thead aria-hidden="true">
            <tr><th />{Array.from({ length: columns }, (_, at) => <td key={at}>{columnLetters(at)}</td>)}</tr>
          </thead>
          <tbody ref={body}>
            {preview.rows.map((row, at) => (
              <Row key={at} number={at + 1} row={row} columns={columns} chosen={none ? null : chosen} name={`${id}-header`} onHeader={onHeader} question={question} />
            ))}
          </tbody>
        </table>
      </div>
      {preview.more && <p class="quiet">{t('top.more', { n: preview.rows.length })}</p>}
    </div>
  );
}

/** Says where the names of the columns are, and how many rows above them are skipped. */
function HeaderText({ header, open, fixed }: { header: string; open: boolean; fixed: boolean }) {
  const { t } = useShared();
  const chosen = rowsOf(header);
  if (fixed) return <>{t('top.fixed')}</>;
  if (header === noneAnswer) return <>{t('top.none')}</>;
  if (!chosen) return <>{t(open ? 'top.hint' : 'top.auto')}</>;
  return (
    <>
      <strong>{t('top.chosen', { row: chosen.last })}</strong>
      {chosen.first > 1 && <> {t('top.above', { n: chosen.first - 1 })}</>}
    </>
  );
}

interface RowProps {
  readonly number: number;
  readonly row: readonly string[];
  readonly columns: number;
  readonly chosen: { first: number; last: number } | null;
  readonly name: string;
  readonly onHeader: Props['onHeader'];
  readonly question: Question | undefined;
}

function Row({ number, row, columns, chosen, name, onHeader, question }: RowProps) {
  const { t } = useShared();
  const isHeader = chosen !== null && chosen.first <= number && number <= chosen.last;
  const isAbove = chosen !== null && number < chosen.first;
  const place = question?.choices.findIndex((one) => rowsOf(one.value)?.first === number) ?? -1;
  const choose = () => onHeader?.(place >= 0 ? question!.choices[place]!.value : String(number));
  return (
    <tr class={isHeader ? 'is-header' : isAbove ? 'is-above' : undefined} onClick={choose}>
      <th scope="row">
        <label>
          {onHeader && <input class="k-unseen" type="radio" name={name} value={number} data-place={place >= 0 ? place + 1 : undefined} checked={chosen?.first === number} onChange={choose} aria-label={t('top.row', { row: number })} />}
          <span aria-hidden={onHeader ? 'true' : undefined}>{number}</span>
          {place === 0 && <span class="choice-best">{t('choices.best')}</span>}
        </label>
      </th>
      {Array.from({ length: columns }, (_, at) => <td key={at}>{row[at] && <Raw text={row[at]} />}</td>)}
    </tr>
  );
}
