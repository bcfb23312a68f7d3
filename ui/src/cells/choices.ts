import type { Choice } from '../../grid';
import type { Option } from '../kit';
import type { Place } from './columns';

/** The fields with what they are called, each once. */
export function columnsFor(places: readonly Place[], editable = false): { key: string; label: string }[] {
  const seen = new Map<string, string>();
  for (const { key, label, column } of places) {
    if (!seen.has(key) && !(editable && column.readOnly)) seen.set(key, label);
  }
  return [...seen].map(([key, label]) => ({ key, label }));
}

/** A choice of a column with what it is found by. */
export function optionOf({ text, label, also }: Choice): Option {
  return { value: text, label: label ?? text, ...(label && label !== text && { note: text }), ...(also && { also }) };
}
