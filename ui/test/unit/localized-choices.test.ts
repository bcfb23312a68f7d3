import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Table } from '../../src/api';
import { placesOf } from '../../src/cells/columns';
import { localizedNames, withLocalizedSearch } from '../../src/cells/localized-choices';

const options = [{ value: 'DE', label: 'Germany' }, { value: 'FR', label: 'France' }, { value: 'MC', label: 'Monaco' }];
const columns = [
  { key: 'home', label: 'Home', type: 'country', readOnly: false, hidden: false, required: false, options },
  { key: 'work', label: 'Work', type: 'country', readOnly: false, hidden: false, required: false, options },
  { key: 'size', label: 'Size', type: 'select', readOnly: false, hidden: false, required: false, options: [{ value: 'l', label: 'Large' }] },
] as Table['columns'];

test('countries have localized names if the page is not in English', () => {
  assert.deepEqual(localizedNames(placesOf(columns, 'en')), {});
  const own = { DE: 'Deutschland', FR: 'Frankreich' };
  assert.deepEqual(localizedNames(placesOf(columns, 'de')), { home: own, work: own });
});

test('a search finds raw values by their localized names', () => {
  const places = placesOf(columns, 'de');
  const also = (search: string, within?: string) => withLocalizedSearch({ show: 'all', search, ...(within && { in: within }) }, places).also;
  assert.equal(also('DEUTSCH'), '{"home":["DE"],"work":["DE"]}');
  assert.equal(also('reich', 'work'), '{"work":["FR"]}');
  assert.equal(also('germany'), undefined);
  assert.equal(also('monaco'), undefined);
  assert.equal(withLocalizedSearch({ show: 'errors' }, places).also, undefined);
  assert.equal(withLocalizedSearch({ show: 'all', search: 'deutsch' }, placesOf(columns, 'en')).also, undefined);
});
