import type { TableColumn } from '../api';
import type { Choice, Column, ColumnKind } from '../../grid';
import { named } from '../../grid/named';
import { namedIn } from './countries';

/** A column of the grid, and the cell of the row that it shows. */
export interface Place {
  readonly column: Column;
  /** The key of the field, and which of its columns. */
  readonly key: string;
  readonly part: number;
  /** Where the cell stands among those of a row that came. */
  readonly at: number;
  readonly required: boolean;
  /** What the field is called. */
  readonly label: string;
  readonly type: string;
}

type Given = TableColumn & { readonly delimiter?: string };

const kinds: Readonly<Record<string, ColumnKind>> = {
  number: 'number', date: 'date', datetime: 'text', checkbox: 'checkbox', select: 'select', 'multi-select': 'multi',
  country: 'select', 'us-state-territory': 'select',
};

const widths: Readonly<Partial<Record<string, number>>> = {
  number: 112, date: 120, time: 96, checkbox: 96, country: 144, email: 232, url: 232, 'phone-number': 160, datetime: 168,
  'us-zip-code': 96, uuid: 296, 'us-state-territory': 144,
};

/** The columns that are shown; hidden ones are left out. */
export function placesOf(given: readonly TableColumn[], locale: string): Place[] {
  return given.flatMap((column, at) => (column.hidden ? [] : [placeOf(column, at, locale)]));
}

/** The key of a column in the grid: fields with several columns have one for each. */
export function columnKey(key: string, part: number): string {
  return part === 0 ? key : `${key}\u0000${part}`;
}

function placeOf(given: Given, at: number, locale: string): Place {
  const { key, part = 0, type } = given;
  const choices = choicesOf(given, locale);
  const kind = kinds[type] ?? 'text';
  const column: Column = {
    key: columnKey(key, part),
    label: labelOf(given),
    // Without choices there is nothing to choose from.
    kind: (kind === 'select' || kind === 'multi') && !choices ? 'text' : kind,
    ...(choices && { choices }),
    ...(kind === 'multi' && { separator: given.delimiter ?? ',' }),
    ...(given.readOnly && { readOnly: true }),
    ...(widths[type] && { width: widths[type] }),
  };
  return { column, key, part, at, required: given.required, label: given.label, type };
}

/** Columns of one field are told apart by what they are called in the file. */
function labelOf({ label, part, header }: Given): string {
  if (part === undefined) return label;
  return header && header !== label ? `${label} · ${header}` : `${label} ${part + 1}`;
}

function choicesOf({ type, options }: Given, locale: string): readonly Choice[] | undefined {
  if (!options || options.length === 0) return undefined;
  return type === 'country' ? namedIn(locale, options) : options.map(({ value, label }) => ({ text: value, label }));
}

/** What a text is called that may be chosen in the column. */
export function choiceName({ column }: Place, text: string): string | undefined {
  return column.choices?.find((one) => one.text === text)?.label;
}

/** What the table shows of a text: choices by their names. */
export function nameIn(place: Place | undefined, text: string): string {
  return place ? named(place.column, text) : text;
}
