import { shown } from '../../grid/shown';
import { nameIn, type Place } from './columns';
import type { T } from './words';

/** A text as the table shows it, and what the cell holds where that is another. */
export function ValueText({ t, place, text }: { t: T; place: Place | undefined; text: string }) {
  if (text === '') return <span class="c-quiet">{t('emptyCell')}</span>;
  const name = nameIn(place, text);
  return <><bdi>{shown(name)}</bdi>{name !== text && <> <bdi class="c-quiet">{shown(text)}</bdi></>}</>;
}

/** The same in a sentence. */
export function valueName(t: T, place: Place, text: string): string {
  const name = nameIn(place, text);
  return name === text ? shown(text) || t('emptyCell') : `${shown(name)} (${shown(text)})`;
}
