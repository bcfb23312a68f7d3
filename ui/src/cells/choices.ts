import type { Place } from './columns';

/** The fields with what they are called, each once. */
export function columnsFor(places: readonly Place[], editable = false): { key: string; label: string }[] {
  const seen = new Map<string, string>();
  for (const { key, label, column } of places) {
    if (!seen.has(key) && !(editable && column.readOnly)) seen.set(key, label);
  }
  return [...seen].map(([key, label]) => ({ key, label }));
}
