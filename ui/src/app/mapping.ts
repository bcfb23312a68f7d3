import type { Layout, LayoutField, Question } from '../api';
import { columnName } from './column-name';

/** The key of a field that is yet to be created, with the name of the column. */
export const newField = '\u0000new';

/**
 * Pending changes to the mapping: a field key by column index, newField for a field to create, or null for no field. Other
 * columns keep their fields.
 */
export type MappingChanges = ReadonlyMap<number, string | null>;

/** The mapping of columns to fields. */
export interface ColumnMapping {
  /** Key of the field of each column, by column index. */
  readonly fieldOf: ReadonlyMap<number, string>;
  /** Column indexes of each field, by key. */
  readonly columnsOf: ReadonlyMap<string, readonly number[]>;
}

export function applyMapping(layout: Layout, wanted: MappingChanges): ColumnMapping {
  const fieldOf = new Map<number, string>();
  for (const column of layout.columns) {
    const key = wanted.has(column.index) ? wanted.get(column.index) : column.field;
    if (key) fieldOf.set(column.index, key);
  }
  const columnsOf = new Map<string, number[]>(layout.fields.map((field) => [field.key, []]));
  for (const [index, key] of fieldOf) columnsOf.get(key)?.push(index);
  return { fieldOf, columnsOf };
}

/**
 * Maps a column to a field, or to none. A field that accepts only one column loses its
 * previous one.
 */
export function assignField(layout: Layout, wanted: MappingChanges, column: number, key: string | null): MappingChanges {
  const next = new Map(wanted);
  const field = layout.fields.find((one) => one.key === key);
  if (field && !field.manyToOne) {
    for (const other of applyMapping(layout, wanted).columnsOf.get(field.key) ?? []) if (other !== column) next.set(other, null);
  }
  next.set(column, key);
  for (const one of layout.columns) if (next.get(one.index) === one.field) next.delete(one.index);
  return next;
}

/** Returns the answers that apply the changes to the mapping, by question ID. */
export function mappingAnswers(layout: Layout, wanted: MappingChanges): Record<string, string | null> {
  const after = applyMapping(layout, wanted);
  const before = applyMapping(layout, new Map());
  const answers: Record<string, string | null> = {};
  for (const [index, key] of wanted) {
    if (layout.answers[`new:${index}`] !== undefined) answers[`new:${index}`] = null;
    if (key === newField) answers[`new:${index}`] = columnName(layout.columns[index]!);
    else if (key === null) answers[`field:${index}`] = 'none';
  }
  for (const field of layout.fields) {
    if (field.created) continue; // it disappears if its column gets a different field
    const columns = after.columnsOf.get(field.key) ?? [];
    if (sameColumns(columns, before.columnsOf.get(field.key) ?? [])) continue;
    answers[`column:${field.key}`] = columns.length > 0 ? columns.join(',') : 'none';
  }
  return answers;
}

function sameColumns(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

/** Returns the required fields without a column. */
export function missingRequired(layout: Layout, wanted: MappingChanges): readonly LayoutField[] {
  const { columnsOf } = applyMapping(layout, wanted);
  return layout.fields.filter((field) => field.requireMapping && columnsOf.get(field.key)?.length === 0);
}

/** Returns the optional fields without a column, and the number of columns without a field. */
export function unused(layout: Layout, wanted: MappingChanges): { readonly fields: readonly LayoutField[]; readonly columns: number } {
  const { columnsOf, fieldOf } = applyMapping(layout, wanted);
  return {
    fields: layout.fields.filter((field) => !field.requireMapping && columnsOf.get(field.key)?.length === 0),
    columns: layout.columns.length - fieldOf.size,
  };
}

/**
 * Maximum number of column questions shown as cards. If there are more, the table is easier
 * to use.
 */
const cards = 3;

/**
 * Returns the questions that the user answers in the table. If no header matches any field,
 * there is one question per field.
 */
export function settledInTable(asked: readonly Question[]): readonly Question[] {
  const unnamed = asked.filter((one) => one.type === 'UNMAPPED_FIELDS' && one.id.startsWith('column:'));
  return unnamed.length > cards ? unnamed : [];
}

/**
 * Returns the answers that apply the changes to the mapping, and those to the questions in the
 * table. A field without a column stays empty.
 */
export function layoutAnswers(layout: Layout, wanted: MappingChanges, inTable: readonly Question[]): Record<string, string | null> {
  const none = Object.fromEntries(inTable.map((one) => [one.id, 'none']));
  const said = mappingAnswers(layout, wanted);
  return inTable.length > 0 ? { ...none, ...Object.fromEntries(Object.entries(said).filter(([id]) => /^(column|new):/.test(id))) } : said;
}
