import type { Layout } from '../../api';

/** What a column that a person adds contains; see DerivedColumn in the server. */
export interface ColumnContent {
  readonly constant?: string;
  readonly join?: { readonly columns: readonly number[]; readonly with: string };
  readonly split?: { readonly column: number; readonly at: string; readonly part: number; readonly rest?: boolean };
  readonly change?: { readonly column: number; readonly find?: string; readonly with?: string; readonly trim?: boolean; readonly case?: LetterCase };
}

export type LetterCase = 'upper' | 'lower' | 'title';

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

/** Returns the text of a cell of a new column in a row of the file. The server computes it in the same way. */
export function derivedText({ constant, join, split, change }: ColumnContent, row: readonly string[]): string {
  if (constant !== undefined) return constant;
  if (join) return join.columns.map((at) => (row[at] ?? '').trim()).filter(Boolean).join(join.with);
  if (split) {
    const parts = (row[split.column] ?? '').split(split.at);
    return (split.rest ? parts.slice(split.part).join(split.at) : parts[split.part] ?? '').trim();
  }
  if (!change) return '';
  let text = row[change.column] ?? '';
  if (change.find) text = text.replaceAll(change.find, () => change.with ?? '');
  if (change.trim) text = text.split(/[\s\u0085\u200b]+/).filter(Boolean).join(' ');
  if (change.case === 'upper') return text.toUpperCase();
  if (change.case === 'lower') return text.toLowerCase();
  return change.case === 'title' ? capitalized(text) : text;
}

/** Capitalizes the first letter of each word. */
function capitalized(text: string): string {
  return text.toLowerCase().replace(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu, (word) => {
    const first = String.fromCodePoint(word.codePointAt(0)!);
    return first.toUpperCase() + word.slice(first.length);
  });
}

/** Returns the first rows of data of a file, or none if the header is not among its first lines. */
export function dataRows(lines: readonly (readonly string[])[], layout: Layout): readonly (readonly string[])[] {
  const headers = layout.columns.slice(0, fileColumns(layout)).map((one) => one.header);
  const at = lines.findIndex((line) => headers.every((header, column) => (line[column] ?? '') === header));
  return at < 0 ? [] : lines.slice(at + 1);
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
