import type { Choice } from '../../grid';
import type { Option } from '../kit';
import { choiceName, type Place } from './columns';
import type { Suggestion, Value } from './table-api';

/** Returns an option for all fields, followed by one option per field. */
export function fieldOptions(places: readonly Place[], all: string, editable = false): Option[] {
  const labels = new Map([['', all]]);
  for (const { key, label, column } of places) {
    if (!labels.has(key) && !(editable && column.readOnly)) labels.set(key, label);
  }
  return Array.from(labels, ([value, label]) => ({ value, label }));
}

/** Returns the suggestion to offer with one click, or undefined if a second one is equally good. */
export function bestSuggestion({ text, suggestions: [first, second] }: Pick<Value, 'text' | 'suggestions'>): Suggestion | undefined {
  if (!first || !second || first.reasonCode !== second.reasonCode) return first;
  const closer = first.reasonCode === 'suggestion.spelled_like' && editDistance(text, likeness(first)) < editDistance(text, likeness(second));
  return closer ? first : undefined;
}

/** Returns the name that the text resembles, according to a suggestion. */
function likeness({ reasonParams: params }: Suggestion): string {
  return String(params?.name ?? '');
}

/** Returns the number of letters to change, add or remove to turn one string into the other. */
function editDistance(a: string, b: string): number {
  const other = [...b.toLowerCase()];
  let row = [0, ...other.map((_, at) => at + 1)];
  for (const [i, letter] of [...a.toLowerCase()].entries()) {
    let left = i + 1;
    row = [left, ...other.map((one, at) => (left = Math.min(row[at]! + (one === letter ? 0 : 1), row[at + 1]! + 1, left + 1)))];
  }
  return row.at(-1)!;
}

/** Converts a choice of a column to an option. */
export function choiceOption({ text, label, also }: Choice): Option {
  return { value: text, label: label ?? text, ...(label && label !== text && { note: text }), ...(also && { also }) };
}

/** Returns the display name of a suggestion. */
export function suggestionName(place: Place, { text, label }: Suggestion): string {
  return choiceName(place, text) ?? (label || text);
}
