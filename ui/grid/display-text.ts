import type { Column } from './row-source';

const labels = new WeakMap<Column, ReadonlyMap<string, string>>();

/** Returns the text that the table shows for a raw value. Options are shown by their labels. */
export function displayText(column: Column, text: string): string {
  if (column.kind !== 'select' && column.kind !== 'multi') return text;
  let known = labels.get(column);
  if (!known) labels.set(column, (known = new Map(column.choices?.map((choice) => [choice.text, choice.label ?? choice.text]))));
  if (column.kind === 'select') return known.get(text) ?? text;
  const sign = column.separator?.trim() || ',';
  const parts = text.split(sign).map((part) => part.trim());
  // If no part is an option with a different label, the text is shown unchanged.
  if (!parts.some((part) => (known.get(part) ?? part) !== part)) return text;
  return parts.map((part) => known.get(part) ?? part).join(`${sign} `);
}
