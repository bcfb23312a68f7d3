import type { Choice } from '../../grid';
import type { Option } from '../kit';
import { choiceName, type Place } from './columns';
import type { Suggestion, Value } from './table-api';

/** The fields as options, each once, after one for all of them. */
export function fieldOptions(places: readonly Place[], all: string, editable = false): Option[] {
  const labels = new Map([['', all]]);
  for (const { key, label, column } of places) {
    if (!labels.has(key) && !(editable && column.readOnly)) labels.set(key, label);
  }
  return Array.from(labels, ([value, label]) => ({ value, label }));
}

/** The one that a text was meant as, to be taken by one press; undefined where another is as good. */
export function bestSuggestion({ text, suggestions: [first, second] }: Pick<Value, 'text' | 'suggestions'>): Suggestion | undefined {
  if (!first || !second || first.reasonCode !== second.reasonCode) return first;
  const closer = first.reasonCode === 'suggestion.spelled_like' && editDistance(text, likeness(first)) < editDistance(text, likeness(second));
  return closer ? first : undefined;
}

/** The name that a text is spelled like. */
function likeness({ reasonParams: params }: Suggestion): string {
  return String(params?.name ?? '');
}

/** How many letters must be changed, added or left out to make one text of the other. */
function editDistance(a: string, b: string): number {
  const other = [...b.toLowerCase()];
  let row = [0, ...other.map((_, at) => at + 1)];
  for (const [i, letter] of [...a.toLowerCase()].entries()) {
    let left = i + 1;
    row = [left, ...other.map((one, at) => (left = Math.min(row[at]! + (one === letter ? 0 : 1), row[at + 1]! + 1, left + 1)))];
  }
  return row.at(-1)!;
}

/** A choice of a column with what it is found by. */
export function choiceOption({ text, label, also }: Choice): Option {
  return { value: text, label: label ?? text, ...(label && label !== text && { note: text }), ...(also && { also }) };
}

/** What a suggestion is called in its column. */
export function suggestionName(place: Place, { text, label }: Suggestion): string {
  return choiceName(place, text) ?? (label || text);
}
