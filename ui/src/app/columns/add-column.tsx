import { useState } from 'preact/hooks';
import { Fault, type Layout } from '../../api';
import { Button, Checkbox, Dialog, Field, Select } from '../../kit';
import { useShared } from '../context';
import { FaultNote } from '../notices';
import { RereadDialog } from '../reread-dialog';
import { truncate } from '../server-text';
import { columnName } from '../column-name';
import { columnLabel } from '../questions/headings';
import { applyMapping } from '../mapping';
import { useDerivedPreview } from './derived-preview';
import { addedColumns, dateExample, dateFormats, dateOrders, fileColumns, type ColumnContent, type DateOrder, type LetterCase } from './derived';

const kinds = ['same', 'join', 'split', 'change'] as const;
type Kind = (typeof kinds)[number];

/** The parts of a split column: before and after the first separator, as two columns, or one part. */
const twoParts = 'two';

/** Number of parts of a column that can be chosen. */
const maxParts = 9;

/** A dialog in which a person adds columns to the table: with one value, with columns combined, or with a part or a changed copy of a column. */
export function AddColumn({ layout, onClose }: { layout: Layout; onClose: () => void }) {
  const { review, t } = useShared();
  const columns = layout.columns.slice(0, fileColumns(layout));
  const [kind, setKind] = useState<Kind>('same');
  const [value, setValue] = useState('');
  const [joined, setJoined] = useState<readonly number[]>([]);
  const [between, setBetween] = useState(' ');
  const [source, setSource] = useState(0);
  const [at, setAt] = useState(' ');
  const [part, setPart] = useState(twoParts);
  const [find, setFind] = useState('');
  const [replacement, setReplacement] = useState('');
  const [trim, setTrim] = useState(false);
  const [letters, setLetters] = useState<LetterCase | ''>('');
  const [format, setFormat] = useState('');
  const [order, setOrder] = useState<DateOrder | null>(null);
  const [fields, setFields] = useState<readonly (string | null)[]>([]);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const [asking, setAsking] = useState(false);

  const contents = contentsOf();
  const complete = contents.length > 0;
  const preview = useDerivedPreview(contents);
  const select = { placeholder: '', searchLabel: t('columns.search'), nothing: t('search.nothing') };

  /** Returns what the new columns contain, or nothing as long as something is missing. */
  function contentsOf(): readonly ColumnContent[] {
    if (kind === 'same') return value.trim() === '' ? [] : [{ constant: value }];
    if (kind === 'join') return joined.length === 0 ? [] : [{ join: { columns: joined, with: between } }];
    if (kind === 'change') return changesOf();
    if (at === '') return [];
    const first = { column: source, at, part: 0 };
    return part === twoParts ? [{ split: first }, { split: { ...first, part: 1, rest: true } }] : [{ split: { ...first, part: Number(part) } }];
  }

  function changesOf(): readonly ColumnContent[] {
    if (find === '' && !trim && letters === '' && format === '' || format !== '' && order === null) return [];
    return [{ change: { column: source, ...(find !== '' && { find, with: replacement }), ...(trim && { trim }), ...(order && format && { dates: { order, format } }), ...(letters && { case: letters }) } }];
  }

  /** Explains a text that cannot be seen. */
  const isSpace = (text: string) => (text === ' ' ? { hint: t('derive.space') } : {});

  const add = async () => {
    setBusy(true);
    setFault(null);
    try {
      const nameOf = (column: number) => columnName(columns[column]!);
      const usual = kind === 'same' ? value.trim() : kind === 'join' ? joined.map(nameOf).join(' ') : nameOf(source);
      await review.updateLayout(addedColumns(layout, contents.map((content, n) => ({ content, field: fields[n] ?? null, name: contents.length > 1 ? `${usual} ${n + 1}` : usual }))), 'columns');
      onClose();
    } catch (error) {
      setFault(error instanceof Fault ? error : new Fault('lost'));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('derive.open')}
      closeLabel={t('close')}
      onClose={onClose}
      held={busy}
      foot={(
        <>
          <Button onClick={onClose} disabled={busy}>{t('cancel')}</Button>
          <Button look="primary" busy={busy} disabled={!complete} onClick={() => (layout.changes > 0 ? setAsking(true) : void add())}>{t('derive.open')}</Button>
        </>
      )}
    >
      <div class="derive">
        <Select label={t('derive.kind')} value={kind} options={kinds.map((one) => ({ value: one, label: t(`derive.${one}`) }))} onChange={(one) => setKind(one as Kind)} {...select} />
        {kind === 'same' && <Field label={t('derive.value')} value={value} onInput={setValue} />}
        {kind === 'join' && (
          <>
            <fieldset>
              <legend class="k-label">{t('derive.columns')}</legend>
              {columns.map((column) => (
                <Checkbox
                  key={column.index}
                  label={<bdi>{columnLabel(column, layout, t)}</bdi>}
                  checked={joined.includes(column.index)}
                  onChange={(on) => setJoined(on ? [...joined, column.index] : joined.filter((one) => one !== column.index))}
                />
              ))}
            </fieldset>
            <Field label={t('derive.between')} value={between} onInput={setBetween} code {...isSpace(between)} />
          </>
        )}
        {(kind === 'split' || kind === 'change') && (
          <Select label={t('column')} value={String(source)} options={columns.map((column) => ({ value: String(column.index), label: columnLabel(column, layout, t) }))} onChange={(one) => setSource(Number(one))} {...select} />
        )}
        {kind === 'split' && (
          <>
            <Field label={t('derive.at')} value={at} onInput={setAt} code {...isSpace(at)} />
            <Select label={t('derive.parts')} value={part} options={[{ value: twoParts, label: t('derive.two') }, ...Array.from({ length: maxParts }, (_, n) => ({ value: String(n), label: t('derive.part', { n: n + 1 }) }))]} onChange={setPart} {...select} />
          </>
        )}
        {kind === 'change' && (
          <>
            <div class="derive-pair">
              <Field label={t('replace.find')} value={find} onInput={setFind} />
              <Field label={t('replace.with')} value={replacement} onInput={setReplacement} />
            </div>
            <div class="derive-pair">
              <Select label={t('derive.format')} value={format} options={[{ value: '', label: t('fixer.keep') }, ...dateFormats.map((one) => ({ value: one, label: dateExample(one) }))]} onChange={setFormat} {...select} />
              {format && <Select label={t('derive.order')} value={order} options={dateOrders.map((one) => ({ value: one, label: t(`derive.${one.toLowerCase() as Lowercase<DateOrder>}`) }))} onChange={(one) => setOrder(one as DateOrder)} {...select} placeholder={t('columns.choose')} />}
            </div>
            <Select label={t('derive.letters')} value={letters} options={[{ value: '', label: t('fixer.keep') }, ...(['upper', 'lower', 'title'] as const).map((one) => ({ value: one, label: t(`menu.${one}`) }))]} onChange={(one) => setLetters(one as LetterCase | '')} {...select} />
            <Checkbox label={t('menu.trim')} checked={trim} onChange={setTrim} />
          </>
        )}
        {complete && (
          <table class="derive-preview">
            <thead>
              <tr>
                {contents.map((_, n) => (
                  <th key={n} scope="col">
                    <Select label={contents.length > 1 ? `${t('derive.target')} (${n + 1})` : t('derive.target')} value={fields[n] ?? null} options={targets(n)} onChange={(one) => setFields(contents.map((_, other) => (other === n ? one : fields[other] ?? null)))} {...select} placeholder={t('columns.choose')} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {preview.rows.map((row, index) => (
                <tr key={index}>{row.map((text, n) => <td key={n}>{text ? <bdi>{truncate(text, 80)}</bdi> : <span class="quiet">{t('derive.empty')}</span>}</td>)}</tr>
              ))}
            </tbody>
          </table>
        )}
        <FaultNote fault={fault ?? preview.fault} />
      </div>
      {asking && <RereadDialog changes={layout.changes} onDo={() => { setAsking(false); void add(); }} onClose={() => setAsking(false)} />}
    </Dialog>
  );

  /** Returns the fields for new column n: first those without a column. */
  function targets(n: number) {
    const { columnsOf } = applyMapping(layout, new Map());
    const isFree = (key: string) => columnsOf.get(key)?.length === 0;
    return layout.fields
      .filter(({ key, created }) => !created && !fields.some((one, other) => other < contents.length && other !== n && one === key))
      .map(({ key, label, manyToOne }) => ({ value: key, label: truncate(label, 60), also: key, ...(!isFree(key) && !manyToOne && { note: t('columns.taken', { column: truncate(columnName(layout.columns[columnsOf.get(key)![0]!]!), 30) }) }) }))
      .sort((a, b) => Number(isFree(b.value)) - Number(isFree(a.value)));
  }
}
