import { messageOf, type Counts } from '../api';
import type { Level } from '../../grid';
import type { Place } from './columns';
import { isPadded } from './whitespace';
import { allRows, sameFilter, type Filter, type Show } from './filter';
import type { Key, T } from './texts';
import { messageText } from '../i18n/messages';

/** Rows with one kind of problem in one field. The key is "" for problems of whole rows. */
export type Group = Counts[number];

const order: readonly Level[] = ['error', 'warning', 'info'];
const shows: Readonly<Record<Level, Show>> = { error: 'errors', warning: 'warnings', info: 'infos' };

/**
 * Sorts groups by severity and by the number of rows that they had when first counted. `first`
 * stores these numbers by group ID. Groups therefore never change their order, and a group that
 * comes back after an undo returns to its position.
 */
export function stableOrder(counts: Counts, first: Map<string, number>): Group[] {
  const rank = (group: Group) => first.get(groupId(group))!;
  for (const group of counts) if (!first.has(groupId(group))) first.set(groupId(group), group.rows);
  return [...counts].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level) || rank(b) - rank(a) || (groupId(a) < groupId(b) ? -1 : 1));
}

/**
 * Returns the filter to show if no row matches the current filter anymore: the next group with
 * the same severity, or all rows if there is none. Returns null if the filter still has rows to
 * fix. `before` and `now` are the groups in order, before and after the last change.
 */
export function filterAfter(filter: Filter, before: readonly Group[], now: readonly Group[]): Filter | null {
  const level = order.find((one) => shows[one] === filter.show);
  if (!level || now.some((group) => (filter.code === undefined ? group.level === level && !filter.search : isShown(group, filter)))) return null;
  if (filter.code === undefined) return filter.search ? null : allRows;
  const at = before.findIndex((group) => isShown(group, filter));
  const open = now.filter((group) => group.level === level);
  const later = new Set(before.slice(at + 1).map(groupId));
  const next = open.find((group) => later.has(groupId(group))) ?? open[0];
  return next && level !== 'info' ? filterOf(next) : allRows;
}

/** Returns the number of errors; 0 while they have not been counted. */
export function problemsIn(counts: readonly Group[]): number {
  return counts.reduce((sum, { level, rows }) => sum + (level === 'error' ? rows : 0), 0);
}

export function filterOf(group: Pick<Group, 'key' | 'code' | 'level'>): Filter {
  return { show: shows[group.level], key: group.key, code: group.code };
}

export function isShown(group: Group, filter: Filter): boolean {
  const { search: _, in: __, whole: ___, ...rest } = filter;
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

export type GroupAction = 'trim' | 'accept' | 'keepFirst' | 'clear' | 'delete';

/** Maximum number of duplicates of which all but the first can be deleted. */
const maxDuplicates = 10_000;
/** Rules that also look at empty cells, so that clearing a cell does not help. */
const looksAtEmpty = /^(require|regex_match)/;

/**
 * Returns the actions that apply to all rows of a group. No action makes things worse: clearing
 * is offered only if the cell may be empty, trimming only if a known value begins or ends with a
 * space, and duplicates are never all deleted.
 */
export function actionsOf(group: Group, place: Place | undefined, texts: readonly string[], several = false): readonly GroupAction[] {
  if (group.level === 'info') return [];
  if (group.key === '') return group.code === 'cell_count' ? ['accept', 'delete'] : ['delete'];
  const actions: GroupAction[] = [];
  const open = place && !place.column.readOnly;
  if (open && isMapped(group) && texts.some(isPadded)) actions.push('trim');
  if (place && !several && /^unique(_case_insensitive)?$/.test(group.code) && group.rows <= maxDuplicates) actions.push('keepFirst');
  if (open && !place.required && !looksAtEmpty.test(group.code)) actions.push('clear');
  if (isMapped(group)) actions.push('delete');
  return actions;
}
