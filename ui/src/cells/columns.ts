import type { TableColumn } from '../api';
import type { Choice, Column, ColumnKind } from '../../grid';
import { displayText } from '../../grid/display-text';

/** A column of the grid with its field. */
export interface Place {
  readonly column: Column;
  /** Key of the field, and the index of this column among the columns of the field. */
  readonly key: string;
  readonly part: number;
  /** Index of the cell in a row from the server. */
  readonly at: number;
  readonly required: boolean;
  /** Label of the field. */
  readonly label: string;
  readonly type: string;
}

type WireColumn = TableColumn & { readonly delimiter?: string };

const kinds: Readonly<Record<string, ColumnKind>> = {
  number: 'number', date: 'date', datetime: 'text', checkbox: 'checkbox', select: 'select', 'multi-select': 'multi',
  country: 'select', 'us-state-territory': 'select',
};

const widths: Readonly<Partial<Record<string, number>>> = {
  number: 112, date: 120, time: 96, checkbox: 96, country: 144, email: 232, url: 232, 'phone-number': 160, datetime: 168,
  'us-zip-code': 96, uuid: 296, 'us-state-territory': 144,
};

/**
 * Returns the visible columns. The first one usually identifies the row, so it is pinned and
 * stays visible next to the problem columns.
 */
export function placesOf(given: readonly TableColumn[], locale: string): Place[] {
  const places = given.flatMap((column, at) => (column.hidden ? [] : [placeOf(column, at, locale)]));
  return places.map((place, at) => (at === 0 && places.length > 1 ? { ...place, column: { ...place.column, pinned: true } } : place));
}

/** Returns the grid key of a column. It is unique even if a field has several columns. */
export function columnKey(key: string, part: number): string {
  return part === 0 ? key : `${key}\u0000${part}`;
}

function placeOf(given: WireColumn, at: number, locale: string): Place {
  const { key, part = 0, type } = given;
  const choices = choicesOf(given, locale);
  const kind = kinds[type] ?? 'text';
  const column: Column = {
    key: columnKey(key, part),
    label: labelOf(given),
    // Without options, there is nothing to choose from.
    kind: (kind === 'select' || kind === 'multi') && !choices ? 'text' : kind,
    ...(choices && { choices }),
    ...(kind === 'multi' && { separator: given.delimiter ?? ',' }),
    ...(given.readOnly && { readOnly: true }),
    ...(given.required && { required: true }),
    ...(widths[type] && { width: widths[type] }),
  };
  return { column, key, part, at, required: given.required, label: given.label, type };
}

/**
 * Returns the label. If a field has several columns, the label includes the header or the
 * number of the column.
 */
function labelOf({ label, part, header }: WireColumn): string {
  if (part === undefined) return label;
  return header && header !== label ? `${label} · ${header}` : `${label} ${part + 1}`;
}

function choicesOf({ type, options }: WireColumn, locale: string): readonly Choice[] | undefined {
  if (!options || options.length === 0) return undefined;
  return type === 'country' ? countryChoices(locale, options) : options.map(({ value, label }) => ({ text: value, label }));
}

/**
 * Returns the countries by their names in the locale, sorted. The search also finds their
 * English names.
 */
export function countryChoices(locale: string, list: readonly { readonly value: string; readonly label: string }[]): readonly Choice[] {
  if (locale.startsWith('en')) return list.map(({ value, label }) => ({ text: value, label }));
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  const choices = list.map(({ value, label }) => {
    const name = /^[A-Z]{2}$/.test(value) ? names.of(value) : undefined;
    return name && name !== label ? { text: value, label: name, also: label } : { text: value, label };
  });
  return choices.sort((a, b) => a.label.localeCompare(b.label, locale));
}

/** Returns the label of a choice, or undefined if the text is not a choice. */
export function choiceName({ column }: Place, text: string): string | undefined {
  return column.choices?.find((one) => one.text === text)?.label;
}

/** Returns the text that the table shows for a raw value. Choices are shown by their labels. */
export function displayName(place: Place | undefined, text: string): string {
  return place ? displayText(place.column, text) : text;
}
