import { labelOf, type Layout, type LayoutColumn, type Question, type QuestionChoice } from '../../api';
import type { Locale } from '../../i18n/types';
import { messageText } from '../../i18n/messages';
import type { Key, T } from '../context';
import { columnName } from '../column-name';
import { truncate } from '../server-text';
import { noneAnswer } from './drafts';

const mostLanguages = 4;

/** Returns the heading of a question. The server's own sentence appears below it. */
export function headingOf(question: Pick<Question, 'id' | 'fieldKey' | 'header'>, layout: Layout | null, t: T): string {
  const [kind = '', about = ''] = question.id.split(':', 2);
  switch (kind) {
    case 'sheet': return t('ask.sheet');
    case 'header_row': return t('ask.header');
    case 'encoding': return t('ask.encoding');
    case 'delimiter': return t('ask.delimiter');
    case 'misplaced_quotes': return t('ask.misplacedQuotes');
    case 'column_starts': return t('ask.columnStarts');
    case 'column': return t('ask.column', { field: fieldName(about, layout) });
    case 'field': return t('ask.field', { column: columnTitle(Number(about), question.header, layout) });
    case 'format': return t('ask.format', { field: fieldName(about, layout) });
    case 'value': return t('ask.value', { field: fieldName(about, layout) });
    default: return t('ask.other');
  }
}

function fieldName(key: string, layout: Layout | null): string {
  return truncate(layout?.fields.find((field) => field.key === key)?.label ?? key, 60);
}

function columnTitle(index: number, header: string | undefined, layout: Layout | null): string {
  const column = layout?.columns.find((one) => one.index === index);
  return truncate(column ? columnName(column) : columnName({ index, header: header ?? '' }), 60);
}

/** Labels of column formats, by the server's names. */
const formats: Readonly<Record<string, Key>> = {
  DMY: 'format.dmy', MDY: 'format.mdy', YMD: 'format.ymd', YDM: 'format.ydm',
  'decimal=point group=comma': 'format.point', 'decimal=comma group=point': 'format.comma',
};

/**
 * Returns the label of a choice. It is translated unless it quotes the file. For an earlier
 * answer, only the value is known.
 */
export function choiceLabel(question: Pick<Question, 'id'>, choice: Pick<QuestionChoice, 'value' | 'label'>, layout: Layout | null, t: T, locale: Locale): string {
  const { value } = choice;
  const label = messageText(t, labelOf(choice));
  const [kind] = question.id.split(':', 1);
  if (kind === 'header_row' && value === noneAnswer) return t('reading.noHeader');
  if (kind === 'header_row' && /^\d+$/.test(value)) return t('choices.row', { row: Number(value) });
  const rows = kind === 'header_row' ? /^(\d+)[-–](\d+)$/.exec(value) : null;
  if (rows) return t('choices.rows', { first: Number(rows[1]), last: Number(rows[2]) });
  if (kind === 'delimiter' && value === noneAnswer) return t('choices.noDelimiter');
  if (kind === 'column_starts' && value === noneAnswer) return t('choices.noFixedWidth');
  if (value === noneAnswer) return t(kind === 'field' ? 'choices.noField' : 'choices.noColumn');
  if (kind === 'delimiter') return value === '\t' || value === 'tab' ? t('choices.tab') : value;
  if (kind === 'format') return formats[value] ? t(formats[value]) : languagesOf(value, locale) ?? (label || value);
  if (kind === 'field') return label || fieldName(value, layout);
  const columns = kind === 'column' ? layout?.columns.filter((one) => value.split(',').includes(String(one.index))) : undefined;
  return columns?.length ? locale.list(columns.map((column) => columnLabel(column, layout, t))) : label || value;
}

/**
 * Returns the names of the first languages in a list of codes, such as the languages of a
 * month name. Returns null if the value is not such a list.
 */
function languagesOf(value: string, { tag, list }: Locale): string | null {
  if (!/^[a-z]{2,3}(-\w+)*( [a-z]{2,3}(-\w+)*)*$/i.test(value)) return null;
  const names = new Intl.DisplayNames(tag, { type: 'language', fallback: 'none' });
  const known = value.split(' ').slice(0, mostLanguages).map((code) => names.of(code));
  return known.every((name) => name !== undefined) ? list(known) : null;
}

/** Returns the name of a column, with its number if a different column has the same name. */
export function columnLabel(column: LayoutColumn, layout: Layout | null, t: T): string {
  const name = columnName(column);
  const shared = layout?.columns.some((other) => other.index !== column.index && columnName(other) === name);
  return shared ? t('choices.numbered', { name: truncate(name, 60), n: column.index + 1 }) : truncate(name, 60);
}
