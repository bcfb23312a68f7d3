import type { Layout, LayoutField } from '../../api';
import { Note, Select } from '../../kit';
import { useShared } from '../context';
import { missingRequired, applyMapping, unused, type MappingChanges } from '../mapping';
import { columnName } from '../column-name';
import { truncate, Raw } from '../server-text';

interface Props {
  readonly layout: Layout;
  readonly wanted: MappingChanges;
  /** Keys of fields with an open question. */
  readonly asked: ReadonlySet<string>;
  readonly onGive: (column: number, key: string) => void;
}

/** Lists the fields without a column, required ones first. */
export function MissingFields({ layout, wanted, asked, onGive }: Props) {
  const { t, locale } = useShared();
  const must = missingRequired(layout, wanted).filter((field) => !asked.has(field.key));
  const may = unused(layout, wanted).fields.filter((field) => !asked.has(field.key));
  return (
    <>
      {must.length > 0 && (
        <Note tone="error" toneLabel={t('level.error')} title={t('lacking.title', { n: must.length })}>
          <ul class="lacking">
            {must.map((field) => <MissingField key={field.key} field={field} layout={layout} wanted={wanted} onGive={onGive} />)}
          </ul>
        </Note>
      )}
      {may.length > 0 && (
        <p class="quiet lacking-may">
          {t('lacking.may', { n: may.length, fields: locale.list(may.slice(0, 8).map((field) => locale.isolate(truncate(field.label, 40)))) })}
          {may.length > 8 && ` ${t('lacking.more', { n: may.length - 8 })}`}
        </p>
      )}
    </>
  );
}

interface LineProps {
  readonly field: LayoutField;
  readonly layout: Layout;
  readonly wanted: MappingChanges;
  readonly onGive: (column: number, key: string) => void;
}

function MissingField({ field, layout, wanted, onGive }: LineProps) {
  const { t } = useShared();
  const { fieldOf } = applyMapping(layout, wanted);
  const free = layout.columns.map((column) => ({
    value: String(column.index),
    label: truncate(columnName(column), 60),
    note: fieldOf.has(column.index) ? t('lacking.used') : truncate(column.examples[0] ?? '', 30),
  }));
  return (
    <li>
      <Raw text={field.label} />
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
