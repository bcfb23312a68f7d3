import type { Layout, LayoutField } from '../../api';
import { Note, Select } from '../../kit';
import { useShared } from '../context';
import { applyMapping, type MappingChanges } from '../mapping';
import { columnName } from '../column-name';
import { truncate, Raw } from '../server-text';

/** Maximum number of optional fields that are named. */
const maxNamed = 8;

interface Props {
  readonly fields: readonly LayoutField[];
  readonly layout: Layout;
  readonly wanted: MappingChanges;
  readonly onGive: (column: number, key: string) => void;
}

/** Names the required fields without a column, each with a list of columns to choose from. */
export function RequiredFields({ fields, ...rest }: Props) {
  const { t } = useShared();
  if (fields.length === 0) return null;
  return (
    <Note tone="error" toneLabel={t('level.error')} title={t('lacking.title', { n: fields.length })}>
      <ul class="lacking">
        {fields.map((field) => <MissingField key={field.key} field={field} {...rest} />)}
      </ul>
    </Note>
  );
}

/** Names the optional fields without a column. */
export function OptionalFields({ fields }: { fields: readonly LayoutField[] }) {
  const { t, locale } = useShared();
  if (fields.length === 0) return null;
  return (
    <p class="quiet">
      {t('lacking.may', { n: fields.length, fields: locale.list(fields.slice(0, maxNamed).map((field) => locale.isolate(truncate(field.label, 40)))) })}
      {fields.length > maxNamed && ` ${t('lacking.more', { n: fields.length - maxNamed })}`}
    </p>
  );
}

function MissingField({ field, layout, wanted, onGive }: Omit<Props, 'fields'> & { field: LayoutField }) {
  const { t } = useShared();
  const { fieldOf } = applyMapping(layout, wanted);
  const free = layout.columns.map((column) => ({
    value: String(column.index),
    label: truncate(columnName(column), 60),
    note: fieldOf.has(column.index) ? t('lacking.used') : truncate(column.examples[0] ?? '', 30),
  }));
  return (
    <li>
      <div>
        <p class="lacking-name"><Raw text={field.label} /></p>
        {field.description && <p class="column-about"><bdi>{truncate(field.description)}</bdi></p>}
      </div>
      <Select
        label={t('lacking.choose', { field: truncate(field.label, 60) })}
        bare
        value={null}
        options={free}
        onChange={(column) => onGive(Number(column), field.key)}
        placeholder={t('choices.chooseColumn')}
        searchLabel={t('search')}
        nothing={t('search.nothing')}
      />
    </li>
  );
}
