import type { Choice } from '../../grid';
import type { Option } from '../kit';
import type { Place } from './columns';
import type { Suggestion, Value } from './desk';

/** The fields with what they are called, each once. */
export function columnsFor(places: readonly Place[], editable = false): { key: string; label: string }[] {
  const seen = new Map<string, string>();
  for (const { key, label, column } of places) {
    if (!seen.has(key) && !(editable && column.readOnly)) seen.set(key, label);
  }
  return [...seen].map(([key, label]) => ({ key, label }));
}

/** The one that a text was meant as, to be taken by one press; undefined where another is as good. */
export function surest({ text, suggestions: [first, second] }: Pick<Value, 'text' | 'suggestions'>): Suggestion | undefined {
  if (!first || !second) return first;
  const [one, other] = [whyOf(first), whyOf(second)];
  if (one.why !== other.why) return first;
  return one.why.endsWith('like') && edits(text, one.name) < edits(text, other.name) ? first : undefined;
}

/** A reason of the service, such as 'it is spelled almost like Germany', and the name that it is about. */
function whyOf({ reason }: Suggestion): { why: string; name: string } {
  const [, why = reason, name = ''] = /^(it is spelled almost like|it has a part of) ([^]*)/.exec(reason) ?? [];
  return { why, name };
}

/** How many letters must be changed, added or left out to make one text of the other. */
function edits(a: string, b: string): number {
  const other = [...b.toLowerCase()];
  let row = [0, ...other.map((_, at) => at + 1)];
  for (const [i, letter] of [...a.toLowerCase()].entries()) {
    let left = i + 1;
    row = [left, ...other.map((one, at) => (left = Math.min(row[at]! + (one === letter ? 0 : 1), row[at + 1]! + 1, left + 1)))];
  }
  return row.at(-1)!;
}

/** A choice of a column with what it is found by. */
export function optionOf({ text, label, also }: Choice): Option {
  return { value: text, label: label ?? text, ...(label && label !== text && { note: text }), ...(also && { also }) };
}
