import { messageOf, type Counts } from '../api';
import type { Level } from '../../grid';
import type { Place } from './columns';
import { isPadded } from './whitespace';
import { sameFilter, type Filter, type Show } from './filter';
import type { Key, T } from './texts';
import { messageText } from '../i18n/messages';

/** Rows with one kind of problem in one field. The key is "" for problems of whole rows. */
export type Group = Counts[number];

const order: readonly Level[] = ['error', 'warning', 'info'];
const shows: Readonly<Record<Level, Show>> = { error: 'errors', warning: 'warnings', info: 'infos' };

/**
 * Sorts groups by severity and number of rows. Groups that are already shown keep their
 * order, so that nothing moves under the pointer.
 */
export function stableOrder(counts: Counts, before: readonly string[]): Group[] {
  const sorted = [...counts].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level) || b.rows - a.rows);
  const place = new Map(before.map((id, at) => [id, at]));
  const known = sorted.filter((group) => place.has(groupId(group))).sort((a, b) => place.get(groupId(a))! - place.get(groupId(b))!);
  const added = sorted.filter((group) => !place.has(groupId(group)));
  return [...known, ...added];
}

/** Returns the number of errors; 0 while they have not been counted. */
export function problemsIn(counts: readonly Group[]): number {
  return counts.reduce((sum, { level, rows }) => sum + (level === 'error' ? rows : 0), 0);
}

export function filterOf(group: Pick<Group, 'key' | 'code' | 'level'>): Filter {
  return { show: shows[group.level], key: group.key, code: group.code };
}

export function isShown(group: Group, filter: Filter): boolean {
  const { search: _, in: __, ...rest } = filter;
  return sameFilter(filterOf(group), rest);
}

export function groupId(group: Group): string {
  return `${group.level} ${group.key} ${group.code}`;
}

/** Returns the label of the group's field, or the name for problems of whole rows. */
export function fieldName(group: Group, places: readonly Place[], t: T): string {
  if (group.key === '') return t('wholeRow');
  return places.find((place) => place.key === group.key)?.label ?? group.key;
}

/**
 * Returns a short name of the problem. For an unknown rule, returns the beginning of the
 * message.
 */
export function problemName(group: Group, t: T): string {
  const key = `rule.${group.code.replace(/_(with|without)(_all)?(_values)?$/, '_with')}` as Key;
  const name = t(key);
  return name === key ? truncate(messageText(t, messageOf(group))) : name;
}

function truncate(message: string): string {
  return message.length > 60 ? `${message.slice(0, 59)}…` : message;
}

/**
 * Reports whether replacing equal cells can fix the problem. Duplicates cannot be fixed
 * this way.
 */
export function isMapped(group: Group): boolean {
  return !group.code.startsWith('unique');
}

/**
 * Returns the actions that apply to all rows of a group. Trimming is offered only if a
 * known value begins or ends with a space.
 */
export function actionsOf(group: Group, place: Place | undefined, texts: readonly string[]): readonly ('clear' | 'trim' | 'accept' | 'delete')[] {
  if (group.key === '') return group.code === 'cell_count' ? ['accept', 'delete'] : ['delete'];
  if (!place || place.column.readOnly) return ['delete'];
  if (group.code === 'required') return ['delete'];
  if (!isMapped(group)) return ['clear'];
  return texts.some(isPadded) ? ['trim', 'clear', 'delete'] : ['clear', 'delete'];
}
