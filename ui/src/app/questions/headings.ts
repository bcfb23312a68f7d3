import type { Layout, LayoutColumn, Question, QuestionChoice } from '../../api';
import { reword } from '../../words/words';
import type { T } from '../context';
import { columnName } from '../names';
import { cut } from '../sentence';
import { none } from './drafts';

/** What a question asks, in the person's language; the service's own sentence stands below. */
export function headingOf(question: Pick<Question, 'id' | 'fieldKey' | 'header'>, layout: Layout | null, t: T): string {
  const [kind = '', about = ''] = question.id.split(':', 2);
  switch (kind) {
    case 'sheet': return t('ask.sheet');
    case 'header_row': return t('ask.header');
    case 'encoding': return t('ask.encoding');
    case 'delimiter': return t('ask.delimiter');
    case 'column': return t('ask.column', { field: fieldName(about, layout) });
    case 'field': return t('ask.field', { column: columnTitle(Number(about), question.header, layout) });
    case 'format': return t('ask.format', { field: fieldName(about, layout) });
    case 'value': return t('ask.value', { field: fieldName(about, layout) });
    default: return t('ask.other');
  }
}

function fieldName(key: string, layout: Layout | null): string {
  return cut(layout?.fields.find((field) => field.key === key)?.label ?? key, 60);
}

function columnTitle(index: number, header: string | undefined, layout: Layout | null): string {
  const column = layout?.columns.find((one) => one.index === index);
  return cut(column ? columnName(column) : columnName({ index, header: header ?? '' }), 60);
}

/** A choice in the person's language where it is none of the file's own words. */
export function labelOf(question: Pick<Question, 'id'>, choice: Pick<QuestionChoice, 'value' | 'label'>, layout: Layout | null, t: T): string {
  const { value, label } = choice;
  const [kind] = question.id.split(':', 1);
  if (kind === 'header_row' && value === none) return t('reading.noHeader');
  if (kind === 'header_row' && /^\d+$/.test(value)) return t('choices.row', { row: Number(value) });
  if (kind === 'delimiter' && value === none) return t('choices.noDelimiter');
  if (value === none) return t(kind === 'field' ? 'choices.noField' : 'choices.noColumn');
  if (kind === 'delimiter') return value === '\t' || value === 'tab' ? t('choices.tab') : value;
  if (kind === 'format') return reword(t, 'format', label || value);
  const column = kind === 'column' ? layout?.columns.find((one) => String(one.index) === value) : undefined;
  return column ? columnLabel(column, layout, t) : label || value;
}

/** What people call a column, with its number where another has the same name. */
export function columnLabel(column: LayoutColumn, layout: Layout | null, t: T): string {
  const name = columnName(column);
  const shared = layout?.columns.some((other) => other.index !== column.index && columnName(other) === name);
  return shared ? t('choices.numbered', { name: cut(name, 60), n: column.index + 1 }) : cut(name, 60);
}
