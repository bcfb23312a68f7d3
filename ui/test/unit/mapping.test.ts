import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mappingAnswers, newField, layoutAnswers, missingRequired, applyMapping, settledInTable, unused, assignField, type MappingChanges } from '../../src/app/mapping';
import { columnName, columnLetters } from '../../src/app/column-name';
import { layout, questions } from '../browser/scenes';

const file = layout();
const nothing: MappingChanges = new Map();
const wants = (...all: [number, string | null][]) => all.reduce<MappingChanges>((wanted, [column, key]) => assignField(file, wanted, column, key), nothing);

test('mapping changes become answers about fields and columns', () => {
  const cases: [string, MappingChanges, Record<string, string>][] = [
    ['no changes', nothing, {}],
    ['the current field', wants([0, 'name']), {}],
    ['a change and its reversal', wants([0, null], [0, 'name']), {}],
    ['a column is not imported', wants([2, null]), { 'field:2': 'none', 'column:country': 'none' }],
    ['an unused column gets an unmapped field', wants([6, 'company']), { 'column:company': '6' }],
    ['another column replaces the previous one', wants([6, 'name']), { 'field:0': 'none', 'column:name': '6' }],
    ['two columns swap fields', wants([0, 'email'], [1, 'name']), { 'column:name': '1', 'column:email': '0' }],
    ['a many-to-one field gets another column', wants([6, 'phone']), { 'column:phone': '4,5,6' }],
    ['a many-to-one field loses a column', wants([4, null]), { 'field:4': 'none', 'column:phone': '5' }],
  ];
  for (const [name, wanted, answers] of cases) assert.deepEqual(mappingAnswers(file, wanted), answers, name);
});

test('new fields are named after their columns', () => {
  const note = 'interne Notiz (nicht weitergeben)';
  assert.deepEqual(mappingAnswers(file, wants([6, newField])), { 'new:6': note });
  assert.deepEqual(mappingAnswers(file, wants([0, newField])), { 'new:0': 'Name', 'column:name': 'none' });
  const field = { ...file.fields[0]!, key: note, label: note, columns: [6], created: true };
  const created = { ...file, answers: { 'new:6': note }, fields: [...file.fields, field], columns: file.columns.map((one) => (one.index === 6 ? { ...one, field: note } : one)) };
  assert.deepEqual(mappingAnswers(created, assignField(created, nothing, 6, null)), { 'new:6': null, 'field:6': 'none' });
  assert.deepEqual(mappingAnswers(created, assignField(created, nothing, 6, 'company')), { 'new:6': null, 'column:company': '6' });
});

test('a column has at most one field', () => {
  const { fieldOf, columnsOf } = applyMapping(file, wants([6, 'name'], [6, 'email'], [1, 'name']));
  assert.equal(fieldOf.get(6), 'email');
  assert.deepEqual(columnsOf.get('name'), [1]);
  assert.deepEqual(columnsOf.get('email'), [6]);
});

test('required and optional fields without a column are listed separately', () => {
  const wanted = wants([0, null], [2, null]);
  assert.deepEqual(missingRequired(file, nothing), []);
  assert.deepEqual(missingRequired(file, wanted).map((field) => field.key), ['name']);
  assert.deepEqual(unused(file, wanted).fields.map((field) => field.key), ['country', 'company', 'vat']);
  assert.equal(unused(file, nothing).columns, 2);
  assert.equal(unused(file, wanted).columns, 4);
});

test('columns without a header are named by letters', () => {
  assert.deepEqual([0, 25, 26, 51, 52, 701, 702].map(columnLetters), ['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
  assert.equal(columnName({ index: 2, header: ' ' }), 'C');
  assert.equal(columnName({ index: 2, header: 'Land' }), 'Land');
});

test('if no header matches a field, the table replaces the questions', () => {
  const blank = layout({ columns: file.columns.map((one) => ({ ...one, field: null })), fields: file.fields.map((one) => ({ ...one, columns: [] })) });
  const asked = blank.fields.map((one) => ({ ...questions.email, id: `column:${one.key}`, type: 'UNMAPPED_FIELDS' as const }));
  assert.deepEqual(settledInTable(asked.slice(0, 3)), []);
  assert.deepEqual(settledInTable([...asked, questions.email]), asked);
  const wanted = assignField(blank, assignField(blank, nothing, 0, 'name'), 1, 'email');
  assert.deepEqual(layoutAnswers(blank, wanted, asked), {
    'column:name': '0', 'column:email': '1', 'column:country': 'none', 'column:born': 'none', 'column:phone': 'none', 'column:company': 'none', 'column:vat': 'none',
  });
  assert.deepEqual(layoutAnswers(file, wants([2, null]), []), { 'field:2': 'none', 'column:country': 'none' });
});
