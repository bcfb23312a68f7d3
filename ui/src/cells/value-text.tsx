import { visibleText } from '../../grid/visible-text';
import { displayName, type Place } from './columns';
import type { T } from './texts';

/** A text as the table shows it, and what the cell holds where that is another. */
export function ValueText({ t, place, text }: { t: T; place: Place | undefined; text: string }) {
  if (text === '') return <span class="c-quiet">{t('emptyCell')}</span>;
  const name = displayName(place, text);
  return <><bdi>{visibleText(name)}</bdi>{name !== text && <> <bdi class="c-quiet">{visibleText(text)}</bdi></>}</>;
}

/** The same in a sentence. */
export function valueName(t: T, place: Place, text: string): string {
  const name = displayName(place, text);
  return name === text ? visibleText(text) || t('emptyCell') : `${visibleText(name)} (${visibleText(text)})`;
}
