import type { Layout } from '../../api';

/** What a column that a person adds contains; see DerivedColumn in the server. */
export interface ColumnContent {
  readonly constant?: string;
  readonly join?: { readonly columns: readonly number[]; readonly with: string };
  readonly split?: { readonly column: number; readonly at: string; readonly part: number; readonly rest?: boolean };
  readonly change?: { readonly column: number; readonly find?: string; readonly with?: string; readonly trim?: boolean; readonly dates?: { readonly order: DateOrder; readonly format: string }; readonly case?: LetterCase };
}

export type LetterCase = 'upper' | 'lower' | 'title';

/** The order of day, month and year in dates that are written in numbers. */
export const dateOrders = ['DMY', 'MDY', 'YMD'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** The formats in which the server can write dates, in Luxon tokens. */
export const dateFormats = [
  'yyyy-MM-dd', 'dd.MM.yyyy', 'dd/MM/yyyy', 'dd-MM-yyyy', 'd.M.yyyy', 'd/M/yyyy', 'MM/dd/yyyy', 'M/d/yyyy', 'yyyy/MM/dd', 'yyyyMMdd', 'yyyy-MM', 'MM/yyyy', 'yyyy',
] as const;

/** Returns 28 February in a format. It shows which number is the day, and whether there are leading zeros. */
export function dateExample(format: string): string {
  return format.replace('yyyy', '2026').replace(/M+/, (month) => '2'.padStart(month.length, '0')).replace(/d+/, '28');
}

export interface DerivedColumn extends ColumnContent {
  readonly name: string;
}

/** A column to add. `field` is the key of its field, or null if the person chooses one later. */
export interface NewColumn {
  readonly content: ColumnContent;
  readonly field: string | null;
  /** The header, if the column has no field. */
  readonly name: string;
}

/** Maximum length of the header of a new column, in characters. */
const maxName = 200;

/** Returns the columns that a person has added. They are the last ones of the layout. */
export function derivedOf(layout: Layout): readonly DerivedColumn[] {
  // The server ignores a list that no longer fits the file.
  return layout.added === 0 ? [] : JSON.parse(layout.answers.derived ?? '[]') as DerivedColumn[];
}

/** Returns the number of columns of the file. */
export function fileColumns(layout: Layout): number {
  return layout.columns.length - layout.added;
}

/** Returns the answers that add columns and import them as their fields, instead of the columns that had these fields. */
export function addedColumns(layout: Layout, columns: readonly NewColumn[]): Record<string, string | null> {
  const answers = derivedAnswers([...derivedOf(layout), ...columns.map(({ content, field, name }) => ({
    name: [...(layout.fields.find((one) => one.key === field)?.label ?? name)].slice(0, maxName).join(''), ...content,
  }))]);
  columns.forEach(({ field: key }, n) => {
    const field = layout.fields.find((one) => one.key === key);
    if (!field) return;
    const others = layout.columns.filter((one) => one.field === key).map((one) => one.index);
    answers[`column:${key}`] = [...(field.manyToOne ? others : []), layout.columns.length + n].join(',');
    if (!field.manyToOne) for (const other of others) answers[`field:${other}`] = 'none';
  });
  return answers;
}

/** Returns the answers that leave only these columns of those that a person has added. */
export function derivedAnswers(list: readonly DerivedColumn[]): Record<string, string | null> {
  return { derived: list.length > 0 ? JSON.stringify(list) : null };
}
