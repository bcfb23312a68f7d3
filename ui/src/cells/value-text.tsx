import { visibleText } from '../../grid/visible-text';
import { displayName, type Place } from './columns';
import type { T } from './texts';

/** Shows a value as the table does, followed by the raw text if that differs. */
export function ValueText({ t, place, text }: { t: T; place: Place | undefined; text: string }) {
  if (text === '') return <span class="c-quiet">{t('emptyCell')}</span>;
  const name = displayName(place, text);
  return <><bdi>{visibleText(name)}</bdi>{name !== text && <> <bdi class="c-quiet">{visibleText(text)}</bdi></>}</>;
}

/** Returns the same text as ValueText, as a string to use in a sentence. */
export function valueName(t: T, place: Place, text: string): string {
  const name = displayName(place, text);
  return name === text ? visibleText(text) || t('emptyCell') : `${visibleText(name)} (${visibleText(text)})`;
}
