import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestSuggestion } from '../../src/cells/choices';
import { countryChoices, choiceName, columnKey, displayName, placesOf } from '../../src/cells/columns';
import { matchingChoices } from '../../grid/editors/listbox';
import { matchesFilter, sameFilter, normalized } from '../../src/cells/filter';
import { findRow } from '../../src/cells/find-row';
import { actionsOf, filterAfter, filterOf, problemName, stableOrder, type Group } from '../../src/cells/problem-groups';
import { editableKeys, scopeOf } from '../../src/cells/selection-scope';
import { planEdit } from '../../src/cells/edit-plan';
import { OriginalTexts } from '../../src/cells/original-texts';
import { RowConverter } from '../../src/cells/row-converter';
import { laterDuplicates } from '../../src/cells/dialogs/delete';
import { visibleLongText } from '../../src/cells/dialogs/long-text';
import { fitColumnWidths, widenForProblems } from '../../src/cells/column-widths';
import { layoutWidth } from '../../src/cells/layout-width';
import type { T } from '../../src/cells/texts';
import { chooseLocale } from '../../src/i18n/locale';
import type { Table } from '../../src/api';
import { columns } from './cells-fake';

const places = placesOf(columns, 'en');
const group = (of: Partial<Group>): Group => ({ key: 'country', code: 'country', level: 'error', rows: 1, message: 'Unknown country. Enter DE.', ...of });
const t: T = Object.assign((key: string) => (key === 'rule.country' ? 'unknown country' : key), { locale: chooseLocale('en', []) });

test('hidden columns are skipped, and columns of one field have different labels', () => {
  assert.deepEqual(places.map((place) => [place.column.key, place.at]), [['name', 0], ['country', 1], ['tag', 3]]);
  const phone = { key: 'phone', label: 'Phone', type: 'string', readOnly: true, hidden: false, required: false };
  const many = placesOf([{ ...phone, part: 0, header: 'Phone 1' }, { ...phone, part: 1, header: 'Mobile' }, { ...phone, part: 2 }] as Table['columns'], 'en');
  assert.deepEqual(many.map((place) => place.column.label), ['Phone · Phone 1', 'Phone · Mobile', 'Phone 3']);
  assert.deepEqual(many.map((place) => place.column.key), ['phone', columnKey('phone', 1), columnKey('phone', 2)]);
  assert.equal(many[0]!.column.readOnly, true);
});

test('a column is a select only if it has options', () => {
  const select = { key: 's', label: 'S', type: 'select', readOnly: false, hidden: false, required: false };
  const [with_, without] = placesOf([{ ...select, options: [{ value: 'a', label: 'A' }] }, select] as Table['columns'], 'en');
  assert.deepEqual([with_!.column.kind, with_!.column.choices], ['select', [{ text: 'a', label: 'A' }]]);
  assert.equal(without!.column.kind, 'text');
  assert.equal(places[1]!.column.kind, 'select');
});

test('no suggestion is preferred if two match equally well', () => {
  const part = (label: string) => ({ text: label.toLowerCase(), label, reason: '', reasonCode: 'suggestion.part_of', reasonParams: { name: label } });
  const bolts = part('Group 0 — Bolts'), nuts = part('Group 1 — Nuts');
  const of = (text: string, ...suggestions: Parameters<typeof bestSuggestion>[0]['suggestions']) => bestSuggestion({ text, suggestions });
  assert.equal(of('Group X', bolts, nuts), undefined);
  assert.equal(of('Group X', bolts), bolts);
  assert.equal(of('Group X'), undefined);
  const like = (label: string) => ({ text: label.slice(0, 2), label, reason: '', reasonCode: 'suggestion.spelled_like', reasonParams: { name: label } });
  const australia = like('Australia'), austria = like('Austria');
  assert.equal(of('austrlia', australia, bolts), australia);
  assert.equal(of('austrlia', australia, austria), undefined);
  assert.equal(of('Australa', australia, austria), australia);
  const corrected = (text: string, reasonCode: string) => ({ text, label: text, reason: '', reasonCode });
  const one = corrected('+4917123', 'suggestion.prefix'), other = corrected('04917123', 'suggestion.prefix');
  assert.equal(of('4917123', one, other), undefined);
  assert.equal(of('ada(at)example.org', corrected('ada@example.org', 'suggestion.signs'))?.text, 'ada@example.org');
});

test('countries have localized names and order, and are also found by their English names', () => {
  const given = [{ value: 'AT', label: 'Austria' }, { value: 'DE', label: 'Germany' }, { value: 'EG', label: 'Egypt' }, { value: 'own', label: 'Elsewhere' }];
  const german = countryChoices('de', given);
  assert.deepEqual(german.map((one) => one.label), ['Ägypten', 'Deutschland', 'Elsewhere', 'Österreich']);
  for (const words of ['deutsch', 'germany', 'de']) assert.deepEqual(matchingChoices(german, words)[0], { text: 'DE', label: 'Deutschland', also: 'Germany' }, words);
  assert.equal(matchingChoices(german, 'osterr')[0]?.text, 'AT');
  assert.deepEqual(countryChoices('en', given), given.map(({ value, label }) => ({ text: value, label })));
  const [country] = placesOf([{ key: 'c', label: 'C', type: 'country', readOnly: false, hidden: false, required: false, options: given }] as Table['columns'], 'de');
  assert.equal(choiceName(country!, 'DE'), 'Deutschland');
  assert.equal(choiceName(country!, 'ZZ'), undefined);
  assert.deepEqual(['DE', 'ZZ', ''].map((text) => displayName(country, text)), ['Deutschland', 'ZZ', '']);
});

test('raw values are displayed by their labels', () => {
  const given = { key: 's', label: 'S', readOnly: false, hidden: false, required: false, options: [{ value: 'a', label: 'A' }] };
  const [one, many] = placesOf([{ ...given, type: 'select' }, { ...given, type: 'multi-select' }] as Table['columns'], 'en');
  assert.deepEqual([displayName(one, 'a'), displayName(many, 'a,b'), displayName(many, 'x, A'), displayName(undefined, 'a')], ['A', 'A, b', 'x, A', 'a']);
});

test('a filter matches rows by problem and by text', () => {
  const row = { id: '1', version: 1, cells: [{ text: 'Anna Weiß', value: null }, { text: 'x', value: 'DE', problems: [{ level: 'error' as const, code: 'a', message: '' }] }] };
  const keys = ['name', 'country'];
  const cases: [Parameters<typeof matchesFilter>[0], boolean][] = [
    [{ show: 'all' }, true], [{ show: 'errors' }, true], [{ show: 'warnings' }, false], [{ show: 'valid' }, false], [{ show: 'problems', key: 'name' }, false],
    [{ show: 'errors', key: 'country', code: 'a' }, true], [{ show: 'errors', key: 'country', code: 'b' }, false], [{ show: 'errors', key: '' }, false],
    [{ show: 'all', search: 'WEISS' }, false], [{ show: 'all', search: 'anna w' }, true], [{ show: 'all', search: 'de' }, true], [{ show: 'all', search: 'de', in: 'name' }, false],
  ];
  for (const [filter, wanted] of cases) assert.equal(matchesFilter(filter, row, keys), wanted, JSON.stringify(filter));
});

test('a search matches the displayed name of a code', () => {
  const row = { id: '1', version: 0, cells: [{ text: 'Anna', value: 'Anna' }, { text: 'DE', value: 'DE' }, { text: 'Germany', value: '' }, { text: '', value: '' }] };
  const given = columns.map((one) => (one.key === 'country' ? { ...one, options: [{ value: 'DE', label: 'Germany' }] } : one)) as Table['columns'];
  const past = (locale: string, search: string) => new RowConverter(placesOf(given, locale), new OriginalTexts()).convert(row, { show: 'all', search, in: 'country' }).past;
  assert.deepEqual(['germ', 'DE', 'france'].map((search) => past('en', search)), [undefined, undefined, true]);
  assert.deepEqual(['germ', 'deutsch', 'anna'].map((search) => past('de', search)), [undefined, undefined, true]);
});

test('equivalent filters are equal, and the empty key of whole rows is kept', () => {
  assert.ok(sameFilter({ show: 'all', search: '' }, { show: 'all' }));
  assert.equal(sameFilter({ show: 'errors', key: '' }, { show: 'errors' }), false);
  assert.deepEqual(normalized({ show: 'errors', key: '', search: '' }), { show: 'errors', key: '' });
});

test('finding B21: problem groups are sorted by severity and size, and keep their order', () => {
  const a = group({ key: 'a', rows: 5 });
  const b = group({ key: 'b', rows: 9 });
  const note = group({ key: 'c', level: 'info', rows: 100 });
  const first = new Map<string, number>();
  const order = (...counts: Group[]) => stableOrder(counts, first).map((one) => one.key);
  assert.deepEqual(order(a, note, b), ['b', 'a', 'c']);
  assert.deepEqual(order(a, note), ['a', 'c']);
  assert.deepEqual(order({ ...b, rows: 1 }, a, note, group({ key: 'd', rows: 7 })), ['b', 'd', 'a', 'c']);
  assert.deepEqual(filterOf(a), { show: 'errors', key: 'a', code: 'country' });
});

test('finding B9: after the last problem of a group, the next group is shown, and finally all rows', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((key) => group({ key })) as [Group, Group, Group];
  const note = group({ key: 'd', level: 'info' });
  const warning = group({ key: 'e', level: 'warning' });
  const all = { show: 'all' };
  assert.equal(filterAfter(filterOf(a), [a, b, note], [a, b, note]), null, 'some rows are left');
  assert.deepEqual(filterAfter(filterOf(b), [a, b, c, note], [a, c, note]), filterOf(c));
  assert.deepEqual(filterAfter(filterOf(c), [a, b, c], [a, b]), filterOf(a), 'the last group');
  assert.deepEqual(filterAfter({ ...filterOf(a), search: 'x' }, [a, b], [b]), filterOf(b));
  assert.deepEqual(filterAfter(filterOf(a), [a, warning, note], [warning, note]), all);
  assert.deepEqual(filterAfter(filterOf(note), [note], []), all);
  assert.deepEqual(filterAfter({ show: 'errors' }, [a, note], [note]), all, 'the tab of problems');
  assert.equal(filterAfter({ show: 'errors', search: 'x' }, [a], []), null, 'a search stays');
  assert.equal(filterAfter({ show: 'errors' }, [a, b], [b]), null);
  assert.equal(filterAfter({ show: 'all' }, [a], []), null);
});

test('a problem group is named by its rule or by the beginning of its message', () => {
  assert.equal(problemName(group({}), t), 'unknown country');
  assert.equal(problemName(group({ code: 'my_hook', message: 'Too few seats: book more.' }), t), 'Too few seats: book more.');
  assert.equal(problemName(group({ code: 'my_hook', message: 'x'.repeat(90) }), t).length, 60);
});

test('finding B4: no action of a problem group makes things worse', () => {
  const [required, optional] = places;
  assert.deepEqual(actionsOf(group({}), optional, ['a', ' b']), ['trim', 'clear', 'delete']);
  assert.deepEqual(actionsOf(group({}), optional, ['a', 'b c']), ['clear', 'delete']);
  assert.deepEqual(actionsOf(group({}), required, ['a']), ['delete'], 'a required cell is never cleared');
  assert.deepEqual(actionsOf(group({ code: 'required' }), required, ['']), ['delete']);
  assert.deepEqual(actionsOf(group({ code: 'regex_match' }), optional, ['a']), ['delete'], 'the rule applies to empty cells, too');
  assert.deepEqual(actionsOf(group({ code: 'require_with' }), optional, ['']), ['delete']);
  assert.deepEqual(actionsOf(group({ code: 'unique' }), required, ['a ']), ['keepFirst']);
  assert.deepEqual(actionsOf(group({ code: 'unique_case_insensitive' }), optional, ['a ']), ['keepFirst', 'clear']);
  assert.deepEqual(actionsOf(group({ code: 'unique_with' }), optional, ['a ']), ['clear']);
  assert.deepEqual(actionsOf(group({ code: 'unique', rows: 10_001 }), required, ['a']), []);
  assert.deepEqual(actionsOf(group({ code: 'unique' }), required, ['a'], true), [], 'a field with several columns');
  assert.deepEqual(actionsOf(group({ level: 'info' }), optional, ['a ']), []);
  assert.deepEqual(actionsOf(group({ key: '', code: 'cell_count' }), undefined, []), ['accept', 'delete']);
});

test('finding B4: the first row of each duplicate stays', () => {
  const row = (id: string, value: string | null, other = '') => ({ id, version: 0, cells: [{ text: other, value: other }, { text: value ?? 'x', value }] });
  const rows = [row('1', 'a'), row('2', 'A'), row('3', 'a'), row('4', null), row('5', null), row('6', 'b'), row('7', 'A', 'y'), row('8', 'ſ'), row('9', 's'), row('10', 'ß'), row('11', 'ss')];
  const ids = (ignoreCase: boolean) => laterDuplicates(rows, { at: 1 }, ignoreCase).extra.map((one) => one.id);
  assert.deepEqual(ids(false), ['3', '7']);
  assert.deepEqual(ids(true), ['2', '3', '7', '9']);
  assert.equal(laterDuplicates(rows, { at: 1 }, true).differing, 1);
});

test('a selection is sent by row IDs if it is small and loaded, otherwise as a range', () => {
  const area = { fromRow: 3, toRow: 5, columns: ['name', 'tag'] };
  const view = { view: 'v', total: 9000 };
  assert.deepEqual(scopeOf(area, view, (index) => `r${index}`), { show: 'all', rows: ['r3', 'r4'] });
  assert.deepEqual(scopeOf(area, view, (index) => (index === 3 ? 'r3' : undefined)), { show: 'all', ...view, from: 3, to: 5 });
  assert.deepEqual(scopeOf({ ...area, toRow: 5000 }, view, (index) => `r${index}`), { show: 'all', ...view, from: 3, to: 5000 });
  assert.deepEqual(editableKeys(area, places), ['name', 'tag']);
});

test('a field with several columns is sent as a range only if all have the same text', () => {
  const phone = { key: 'phone', label: 'Phone', type: 'string', readOnly: false, hidden: false, required: false };
  const both = placesOf([{ ...phone, part: 0 }, { ...phone, part: 1 }] as Table['columns'], 'en');
  const known = new Map(both.map((place) => [place.column.key, place]));
  const plan = (parts: number[], texts: string[]) => planEdit({
    id: '', action: 'fill', revision: 'v', total: 300_000, seen: new Map(), versions: {}, texts: [texts],
    area: { fromRow: 0, toRow: 200_000, columns: parts.map((part) => columnKey('phone', part)) },
  }, known).kind;
  assert.equal(plan([0, 1], ['x']), 'stretch');
  assert.equal(plan([0, 1], ['x', 'y']), 'tooMany');
  assert.equal(plan([1], ['x']), 'tooMany');
});

test('findRow finds a row by number, even in a filtered view', async () => {
  const ids = [2, 5, 9, 700, 701, 5000];
  const idAt = async (index: number) => ids[index] ?? null;
  for (const [index, id] of ids.entries()) assert.deepEqual(await findRow(id + 1, ids.length, idAt), { index, exact: true });
  assert.deepEqual(await findRow(7, ids.length, idAt), { index: 2, exact: false });
  assert.deepEqual(await findRow(99_999, ids.length, idAt), { index: 5, exact: false });
  assert.deepEqual(await findRow(1, ids.length, idAt), { index: 0, exact: false });
  let asked = 0;
  await findRow(7_654_321, 10_000_000, async (index) => (asked++, index));
  assert.equal(asked, 1);
});

test('long text is shown completely, with invisible characters marked', () => {
  assert.equal(visibleLongText('a\u202eb\r\nc\u0000'), 'a⟨U+202E⟩b\nc␀');
  assert.equal(visibleLongText('x'.repeat(65_536)).length, 65_536);
});

test('a list of values is joined with the separator', () => {
  const tags = placesOf([{ key: 't', label: 'T', type: 'multi-select', readOnly: false, hidden: false, required: false, options: [{ value: 'r', label: 'Red' }] }] as Table['columns'], 'en');
  const row = (text: string, value: string | null) => new RowConverter(tags, new OriginalTexts()).convert({ id: '0', version: 0, cells: [{ text, value }] }, { show: 'all' }).cells[0]!;
  assert.deepEqual(row('Red, Blue', '["r","b"]'), { text: 'Red, Blue', problems: [], value: 'r,b' });
  assert.deepEqual(row('Red', null), { text: 'Red', problems: [] });
  assert.equal(row('[odd', '[odd').value, undefined);
  const past = (search: string) => new RowConverter(tags, new OriginalTexts()).convert({ id: '0', version: 0, cells: [{ text: 'x, r', value: '["x","r"]' }] }, { show: 'all', search }).past;
  assert.deepEqual(['red', 'x, r', 'blue'].map(past), [undefined, undefined, true]);
});

test('a cell is marked as changed while it differs from the file', () => {
  const rows = new RowConverter(places, new OriginalTexts());
  const came = (version: number, text: string, bad: boolean) => ({ id: '7', version, cells: [{ text: 'n', value: 'n' }, { text, value: null, ...(bad && { problems: [{ level: 'error' as const, code: 'c', message: '' }] }) }, { text: '', value: null }, { text: '', value: null }] });
  assert.equal(rows.convert(came(0, 'Germny', true), { show: 'all' }).cells[1]!.changed, undefined);
  assert.equal(rows.convert(came(3, 'Germany', false), { show: 'all' }).cells[1]!.changed, true);
  assert.equal(rows.convert(came(4, 'Germny', true), { show: 'all' }).cells[1]!.changed, undefined);
});

test('column widths fit most cells, within limits', () => {
  const rows = [{ id: '0', version: 0, cells: [{ text: 'x', value: '' }, { text: 'y'.repeat(500), value: '' }, { text: '', value: '' }, { text: 'abcdefghijklmnop', value: '' }] }];
  const widths = fitColumnWidths(places, rows).map((place) => place.column.width!);
  assert.ok(widths[0]! < widths[2]! && widths[2]! < widths[1]!);
  assert.equal(widths[1], 280);
});

test('finding B19: a problem marker hides no part of a value', () => {
  const row = (text: string, bad = false) => ({ id: '0', version: 0, cells: [{ text: 'x', value: '' }, { text, value: '', ...(bad && { problems: [{ level: 'error' as const, code: 'c', message: '' }] }) }, { text: '', value: '' }, { text: '', value: '' }] });
  const few = Array.from({ length: 59 }, () => row('Active'));
  const width = (of: ReturnType<typeof placesOf>) => of[1]!.column.width!;
  const fitted = fitColumnWidths(places, [...few, row('Archived yesterday', true)]);
  assert.ok(width(fitted) >= 18 * 7.2 + 44, 'one value in sixty');
  assert.ok(width(fitColumnWidths(places, [...few, row('Archived yesterday')])) < width(fitted));
  // Rows that arrive with a filter have other problems.
  assert.ok(width(widenForProblems(fitted, [row('Archived the day before yesterday', true)])) >= 33 * 7.2 + 44);
  assert.equal(width(widenForProblems(fitted, [row('x'.repeat(500), true)])), 400);
  assert.deepEqual(widenForProblems(fitted, [row('y', true)]), fitted);
  assert.ok(width(fitColumnWidths(places, [row('東京都千代田区丸の内一丁目', true)])) >= 13 * 13 + 44, 'wide letters');
});

test('finding B17: the first column stays visible', () => {
  assert.deepEqual(places.map(({ column }) => column.pinned === true), [true, false, false]);
  assert.equal(placesOf(columns.slice(0, 1), 'en')[0]!.column.pinned, undefined);
});

test('the layout depends on the width', () => {
  assert.deepEqual([1280, 900, 899, 560, 559, 400].map(layoutWidth), ['wide', 'wide', 'narrow', 'narrow', 'small', 'small']);
});

