import type { Place } from './columns';
import { foldCase, type Filter } from './filter';

/** What choices are called here, where the service knows them by another name: by field and text. */
export function localizedNames(places: Iterable<Place>): Record<string, Record<string, string>> {
  const names: Record<string, Record<string, string>> = {};
  for (const { key, column } of places) {
    for (const { text, label, also } of column.choices ?? []) {
      if (also && label) (names[key] ??= {})[text] = label;
    }
  }
  return names;
}

/** The filter with the texts whose names here hold what is searched for. */
export function withLocalizedSearch(filter: Filter, places: Iterable<Place>): Filter {
  if (!filter.search) return filter;
  const wanted = foldCase(filter.search);
  const found: Record<string, string[]> = {};
  for (const [key, names] of Object.entries(localizedNames(places))) {
    const texts = Object.keys(names).filter((text) => foldCase(names[text]!).includes(wanted));
    if (texts.length > 0 && (!filter.in || filter.in === key)) found[key] = texts;
  }
  return Object.keys(found).length > 0 ? { ...filter, also: JSON.stringify(found) } : filter;
}
