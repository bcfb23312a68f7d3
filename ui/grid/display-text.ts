import type { Column } from './row-source';

const labels = new WeakMap<Column, ReadonlyMap<string, string>>();

/** What a text of the column is shown as: choices by their labels. */
export function displayText(column: Column, text: string): string {
  if (column.kind !== 'select' && column.kind !== 'multi') return text;
  let known = labels.get(column);
  if (!known) labels.set(column, (known = new Map(column.choices?.map((choice) => [choice.text, choice.label ?? choice.text]))));
  if (column.kind === 'select') return known.get(text) ?? text;
  const sign = column.separator?.trim() || ',';
  const parts = text.split(sign).map((part) => part.trim());
  // Whoever wrote the labels, or other words for them, reads what they wrote.
  if (!parts.some((part) => (known.get(part) ?? part) !== part)) return text;
  return parts.map((part) => known.get(part) ?? part).join(`${sign} `);
}
