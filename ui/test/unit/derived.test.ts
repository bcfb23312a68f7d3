import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { addedColumns, dateExample, dateFormats, derivedOf, fileColumns } from '../../src/app/columns/derived';
import { layout } from '../browser/scenes';

test('the formats of dates are those of the server', () => {
  const source = readFileSync('../derived.go', 'utf8');
  const list = source.slice(source.indexOf('var DateFormats'), source.indexOf('\n}', source.indexOf('var DateFormats')));
  assert.deepEqual([...list.matchAll(/"([^"]+)"/g)].map(([, format]) => format), dateFormats);
  assert.deepEqual(['dd.MM.yyyy', 'M/d/yyyy', 'yyyyMMdd', 'yyyy'].map(dateExample), ['28.02.2026', '2/28/2026', '20260228', '2026']);
});

test('new columns take their fields from other columns', () => {
  const now = layout();
  const next = now.columns.length;
  const added = (field: string | null) => addedColumns(now, [{ content: { constant: 'x' }, field, name: 'New' }]);
  assert.deepEqual(added(null), { derived: '[{"name":"New","constant":"x"}]' });
  assert.deepEqual(added('company'), { 'derived': `[{"name":"${now.fields.find((one) => one.key === 'company')!.label}","constant":"x"}]`, 'column:company': String(next) });
  assert.equal(added('name')['field:0'], 'none');
  assert.equal(added('phone')['column:phone'], `4,5,${next}`);
  const later = { ...now, columns: [...now.columns, { ...now.columns[0]!, index: next }], answers: { derived: added(null).derived! }, added: 1 };
  assert.deepEqual(derivedOf(later), [{ name: 'New', constant: 'x' }]);
  assert.equal(fileColumns(later), next);
  assert.deepEqual(derivedOf({ ...later, added: 0 }), [], 'the server ignores the list');
});
