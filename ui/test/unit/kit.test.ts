import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from '../../src/kit/menu';
import { matching } from '../../src/kit/select';

test('arrow keys move between entries', () => {
  const cases: [string, number, number | null][] = [
    ['ArrowDown', -1, 0], ['ArrowDown', 0, 1], ['ArrowDown', 2, 0], ['ArrowUp', 0, 2], ['ArrowUp', -1, 2], ['ArrowUp', 2, 1], ['Home', 2, 0], ['End', 0, 2], ['a', 1, null],
  ];
  for (const [key, now, target] of cases) assert.equal(targetOf(key, now, 3), target, `${key} from ${now}`);
});

test('options are found by label, value and note, with prefixes first', () => {
  const options = [
    { value: 'AT', label: 'Austria' }, { value: 'DE', label: 'Germany', also: 'Deutschland' }, { value: 'MM', label: 'Myanmar', note: 'formerly Burma' }, { value: 'GE', label: 'Georgia' },
  ];
  const found = (sought: string) => matching(options, sought).map((one) => one.value);
  assert.deepEqual(found(''), ['AT', 'DE', 'MM', 'GE']);
  assert.deepEqual(found(' ge '), ['DE', 'GE']);
  assert.deepEqual(found('de'), ['DE']);
  assert.deepEqual(found('MAN'), ['DE']);
  assert.deepEqual(found('burma'), ['MM']);
  assert.deepEqual(found('deutsch'), ['DE']);
  assert.deepEqual(matching([{ value: 'AT', label: 'Österreich' }], 'oster').length, 1);
  assert.deepEqual(found('x'), []);
});
