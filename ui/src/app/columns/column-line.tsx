import { useId, useState } from 'preact/hooks';
import { reasonOf, reasonsOf, type Layout, type LayoutColumn, type LayoutField } from '../../api';
import { Icon, IconButton, Select, type Option } from '../../kit';
import { useShared, type T } from '../context';
import { applyMapping, newField, type MappingChanges } from '../mapping';
import { columnName } from '../column-name';
import { columnLabel } from '../questions/headings';
import { truncate, Raw, ServerText } from '../server-text';

/** The value of the option that skips the column. */
export const noField = '\u0000';

/** Maximum number of values shown for a column. */
const maxExamples = 4;

interface Props {
  readonly column: LayoutColumn;
  readonly layout: Layout;
  readonly wanted: MappingChanges;
  readonly fieldKey: string | null;
  readonly onGive: (column: number, key: string | null) => void;
  /** Removes the column, if the person has added it. */
  readonly onRemove: (() => void) | null;
}

/** One column of the file on one line: its header, some of its values, and its field. The reasons are shown on demand. */
export function ColumnLine({ column, layout, wanted, fieldKey, onGive, onRemove }: Props) {
  const { t } = useShared();
  const id = useId();
  const [open, setOpen] = useState(false);
  const field = layout.fields.find((one) => one.key === fieldKey) ?? null;
  const changed = wanted.has(column.index);
  const name = truncate(columnName(column), 60);
  const explained = !changed && field !== null;
  return (
    <li class={`column-line${fieldKey ? '' : ' is-left'}${changed ? ' is-changed' : ''}`}>
      <span class="column-sign">{field && !changed && <Icon name="check" />}</span>
      <p class="column-header"><Raw text={columnLabel(column, layout, t)} /></p>
      <Samples column={column} />
      <span class="column-arrow"><Icon name="arrow" /></span>
      <div class="column-field">
        <Select
          label={t('columns.target', { column: name })}
          bare
          value={fieldKey}
          options={targets(layout, wanted, column, field, t)}
          onChange={(key) => onGive(column.index, key === noField ? null : key)}
          placeholder={t('columns.choose')}
          searchLabel={t('columns.search')}
          nothing={t('search.nothing')}
        />
        {field?.description && <p class="column-about"><bdi>{truncate(field.description)}</bdi></p>}
      </div>
      {onRemove && <span class="column-remove"><IconButton icon="remove" small label={t('derive.remove', { column: name })} onClick={onRemove} /></span>}
      {explained && !onRemove && (
        <button type="button" class="column-why" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          {t('columns.why')}<span class="k-unseen"> {name}</span>
        </button>
      )}
      {changed && <p class="column-state">{t('columns.changed')}</p>}
      {explained && open && <div class="column-reason" id={id}><Reason field={field} layout={layout} /></div>}
    </li>
  );
}

/** Some different values of a column, on one line. */
function Samples({ column }: { column: LayoutColumn }) {
  const { t } = useShared();
  const examples = [...new Set(column.examples)].filter((one) => one.trim() !== '').slice(0, maxExamples);
  return (
    <p class={examples.length > 0 ? 'column-samples' : 'column-samples is-empty'}>
      {examples.map((example, at) => <span key={at}><Raw text={truncate(example, 40)} /></span>)}
      {examples.length === 0 && t('columns.empty')}
    </p>
  );
}

/** Explains why a column maps to its field, and how Intray parses its values. */
function Reason({ field, layout }: { field: LayoutField; layout: Layout }) {
  const { t } = useShared();
  const read = layout.evidence.find((one) => one.choice === `format of ${field.key}`);
  return (
    <>
      <p>{field.decided === 'person' ? t('columns.byPerson') : <ServerText message={reasonsOf(field)} />}</p>
      {read && <p><ServerText message={reasonOf(read)} /></p>}
    </>
  );
}

/** Returns the fields that a column can feed. Skipping it is offered only if it has a field. */
function targets(layout: Layout, wanted: MappingChanges, column: LayoutColumn, now: LayoutField | null, t: T): Option[] {
  const { columnsOf } = applyMapping(layout, wanted);
  const fields: Option[] = layout.fields.filter((field) => field === now || !field.created).map((field) => {
    const other = layout.columns.find((one) => one.index !== column.index && columnsOf.get(field.key)?.includes(one.index));
    return {
      value: field.key,
      label: truncate(field.label, 60),
      also: field.key,
      ...((field.required || field.requireMapping) && { mark: t('columns.required') }),
      ...(other && !field.manyToOne ? { note: t('columns.taken', { column: truncate(columnName(other), 30) }) } : {}),
    };
  });
  const name = columnName(column);
  if (layout.newFields && column.header.trim() !== '' && !layout.fields.some((field) => field.key === column.header.trim())) fields.push({ value: newField, label: t('columns.create', { name: truncate(name, 60) }) });
  return now || wanted.get(column.index) === newField ? [{ value: noField, label: t('columns.none') }, ...fields] : fields;
}
