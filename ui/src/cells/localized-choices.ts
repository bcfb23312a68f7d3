import type { Place } from './columns';
import { foldCase, type Filter } from './filter';

/**
 * Returns the localized names of choices, by field and raw text, but only the names that differ
 * from the server's.
 */
export function localizedNames(places: Iterable<Place>): Record<string, Record<string, string>> {
  const names: Record<string, Record<string, string>> = {};
  for (const { key, column } of places) {
    for (const { text, label, also } of column.choices ?? []) {
      if (also && label) (names[key] ??= {})[text] = label;
    }
  }
  return names;
}

/** Adds to the filter the choices whose localized names contain the search text. */
export function withLocalizedSearch(filter: Filter, places: Iterable<Place>): Filter {
  if (!filter.search || filter.whole) return filter;
  const wanted = foldCase(filter.search);
  const found: Record<string, string[]> = {};
  for (const [key, names] of Object.entries(localizedNames(places))) {
    const texts = Object.keys(names).filter((text) => foldCase(names[text]!).includes(wanted));
    if (texts.length > 0 && (!filter.in || filter.in === key)) found[key] = texts;
  }
  return Object.keys(found).length > 0 ? { ...filter, also: JSON.stringify(found) } : filter;
}
