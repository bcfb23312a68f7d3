import type { Choice } from '../../grid';

/** The countries that a list names in English, as the browser names them; their English names are found as well. */
export function namedIn(locale: string, list: readonly { readonly value: string; readonly label: string }[]): readonly Choice[] {
  if (locale.startsWith('en')) return list.map(({ value, label }) => ({ text: value, label }));
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  const choices = list.map(({ value, label }) => {
    const name = /^[A-Z]{2}$/.test(value) ? names.of(value) : undefined;
    return name && name !== label ? { text: value, label: name, also: label } : { text: value, label };
  });
  return choices.sort((a, b) => a.label.localeCompare(b.label, locale));
}
