import { reasonOf, reasonsOf, type Layout, type LayoutColumn, type LayoutField } from '../../api';
import { Icon, Select, type Option } from '../../kit';
import { useShared } from '../context';
import { applyMapping, type MappingChanges } from '../mapping';
import { columnName } from '../column-name';
import { columnLabel } from '../questions/headings';
import { truncate, Raw, ServerText } from '../server-text';

/** The value of the option that skips the column. */
export const noField = '\u0000';

interface Props {
  readonly column: LayoutColumn;
  readonly layout: Layout;
  readonly wanted: MappingChanges;
  /** Whether a question above the table is about the column. */
  readonly asked: boolean;
  readonly fieldKey: string | null;
  readonly onGive: (column: number, key: string | null) => void;
}

/** One column of the file: its header, three of its values, and its field. */
export function ColumnLine({ column, layout, wanted, asked, fieldKey, onGive }: Props) {
  const { t } = useShared();
  const field = layout.fields.find((one) => one.key === fieldKey) ?? null;
  const changed = wanted.has(column.index);
  const examples = [...new Set(column.examples)].filter((one) => one.trim() !== '').slice(0, 3);
  return (
    <li class={`column-line${field ? '' : ' is-left'}${changed ? ' is-changed' : ''}`}>
      <div class="column-file">
        <p class="column-header"><Raw text={columnLabel(column, layout, t)} /></p>
        <p class="examples">
          {examples.map((example, at) => <code key={at} class="example"><Raw text={truncate(example, 40)} /></code>)}
          {examples.length === 0 && <span class="quiet">{t('columns.empty')}</span>}
        </p>
      </div>
      <span class="column-arrow"><Icon name="arrow" /></span>
      <div class="column-field">
        <Select
          label={t('columns.target', { column: truncate(columnName(column), 60) })}
          bare
          value={fieldKey ?? noField}
          options={targets(layout, wanted, column, t('columns.none'), (label) => t('columns.taken', { column: label }))}
          onChange={(key) => onGive(column.index, key === noField ? null : key)}
          placeholder={t('columns.none')}
          searchLabel={t('columns.search')}
          nothing={t('search.nothing')}
        />
        <p class="column-reason">{changed ? t('columns.changed') : <Reason column={column} field={field} layout={layout} asked={asked} />}</p>
      </div>
    </li>
  );
}

/** Explains why a column maps to its field, and how Intray parses its values. */
function Reason({ column, field, layout, asked }: { column: LayoutColumn; field: LayoutField | null; layout: Layout; asked: boolean }) {
  const { t } = useShared();
  // If no header matches any field, do not say so for each column.
  if (layout.fields.every((one) => one.columns.length === 0)) return null;
  if (!field && asked) return <>{t('columns.asked')}</>;
  if (!field) return <>{layout.answers[`field:${column.index}`] === 'none' ? t('columns.leftByPerson') : t('columns.leftOut')}</>;
  const read = layout.evidence.find((one) => one.choice === `format of ${field.key}`);
  return (
    <>
      {field.decided === 'person' ? t('columns.byPerson') : <ServerText message={reasonsOf(field)} />}
      {read && <span class="column-read"><ServerText message={reasonOf(read)} /></span>}
    </>
  );
}

function targets(layout: Layout, wanted: MappingChanges, column: LayoutColumn, none: string, taken: (label: string) => string): Option[] {
  const { columnsOf } = applyMapping(layout, wanted);
  const fields = layout.fields.map((field) => {
    const other = layout.columns.find((one) => one.index !== column.index && columnsOf.get(field.key)?.includes(one.index));
    return {
      value: field.key,
      label: truncate(field.label, 60),
      also: field.key,
      ...(other && !field.manyToOne ? { note: taken(truncate(columnName(other), 30)) } : {}),
    };
  });
  return [{ value: noField, label: none }, ...fields];
}
