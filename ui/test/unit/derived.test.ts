import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addedColumns, dataRows, derivedOf, derivedText, fileColumns, type ColumnContent } from '../../src/app/columns/derived';
import { layout } from '../browser/scenes';

test('the preview of a new column shows the text that the server would compute', () => {
  const row = ['Ada', ' ', 'Lovelace, Augusta, King'];
  const cases: [ColumnContent, string][] = [
    [{ constant: 'DE' }, 'DE'],
    [{ join: { columns: [0, 1, 2], with: ' - ' } }, 'Ada - Lovelace, Augusta, King'],
    [{ join: { columns: [3, 1], with: ' ' } }, ''],
    [{ split: { column: 2, at: ',', part: 0 } }, 'Lovelace'],
    [{ split: { column: 2, at: ',', part: 1, rest: true } }, 'Augusta, King'],
    [{ split: { column: 2, at: ',', part: 3 } }, ''],
    [{ change: { column: 2, find: ', ', with: '$&' } }, 'Lovelace$&Augusta$&King'],
    [{ change: { column: 2, find: ',', with: '  ', trim: true, case: 'lower' } }, 'lovelace augusta king'],
    [{ change: { column: 3, case: 'title' } }, ''],
  ];
  for (const [content, text] of cases) assert.equal(derivedText(content, row), text, JSON.stringify(content));
  assert.equal(derivedText({ change: { column: 0, case: 'title' } }, ['anna-MARIA o\'neil ÉLODIE']), 'Anna-Maria O\'neil Élodie');
});

test('the rows of the preview begin below the header', () => {
  const one = { ...layout(), columns: layout().columns.slice(0, 2) };
  const headers = one.columns.map((column) => column.header);
  assert.deepEqual(dataRows([['A title'], headers, ['x', 'y']], one), [['x', 'y']]);
  assert.deepEqual(dataRows([['x', 'y']], one), []);
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
