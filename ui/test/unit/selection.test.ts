import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dragArea, splitForFill, fillPattern } from '../../grid/fill';
import { moveTarget } from '../../grid/keys';
import { between, cellsOf, contains, clip } from '../../grid/ranges';
import { Selection } from '../../grid/selection';

const size = { rows: 10_000_000, cols: 12 };

function made(): Selection {
  const selection = new Selection();
  selection.resize(size.rows, size.cols);
  return selection;
}

test('a range spans its corners in any order', () => {
  const range = between({ row: 9, col: 1 }, { row: 2, col: 5 });
  assert.deepEqual(range, { top: 2, bottom: 9, left: 1, right: 5 });
  assert.equal(cellsOf(range), 40);
  assert.ok(contains(range, 2, 5) && !contains(range, 10, 5));
  assert.equal(clip(range, 2, 12), null);
});

test('extending the range keeps the active cell', () => {
  const selection = made();
  selection.to({ row: 5, col: 3 });
  selection.extend({ row: 2, col: 4 });
  assert.deepEqual(selection.active, { row: 5, col: 3 });
  assert.deepEqual(selection.range, { top: 2, bottom: 5, left: 3, right: 4 });
});

test('the active cell stays in the table', () => {
  const selection = made();
  selection.to({ row: 99_999_999, col: 99 });
  assert.deepEqual(selection.active, { row: 9_999_999, col: 11 });
  selection.resize(3, 2);
  assert.deepEqual(selection.active, { row: 2, col: 1 });
});

test('rows, columns and everything can be selected', () => {
  const selection = made();
  selection.rows(4, 2);
  assert.deepEqual(selection.range, { top: 2, bottom: 4, left: 0, right: 11 });
  selection.columns(3, 1);
  assert.deepEqual(selection.range, { top: 0, bottom: 9_999_999, left: 1, right: 3 });
  selection.all();
  assert.equal(cellsOf(selection.range!), 120_000_000);
});

test('the header and an empty table have no range', () => {
  const selection = made();
  selection.to({ row: -1, col: 2 });
  assert.equal(selection.range, null);
  selection.to({ row: 0, col: 0 });
  selection.resize(0, 12);
  assert.equal(selection.range, null);
});

const keys: [string, boolean, { row: number; col: number }][] = [
  ['ArrowUp', false, { row: 99, col: 5 }],
  ['ArrowDown', true, { row: 9_999_999, col: 5 }],
  ['ArrowLeft', false, { row: 100, col: 4 }],
  ['ArrowRight', true, { row: 100, col: 11 }],
  ['PageDown', false, { row: 120, col: 5 }],
  ['Home', false, { row: 100, col: 0 }],
  ['Home', true, { row: 0, col: 0 }],
  ['End', true, { row: 9_999_999, col: 11 }],
];
for (const [key, control, to] of keys) {
  test(`${control ? 'Ctrl+' : ''}${key}`, () => assert.deepEqual(moveTarget(key, control, { row: 100, col: 5 }, size, 20, false), to));
}

test('arrow keys move in their direction in right-to-left tables', () => {
  assert.deepEqual(moveTarget('ArrowLeft', false, { row: 0, col: 5 }, size, 20, true), { row: 0, col: 6 });
  assert.deepEqual(moveTarget('ArrowRight', true, { row: 0, col: 5 }, size, 20, true), { row: 0, col: 0 });
});

const from = { top: 2, bottom: 3, left: 1, right: 2 };

test('a drag fills along its longer axis', () => {
  assert.deepEqual(dragArea(from, 6, 3), { top: 4, bottom: 6, left: 1, right: 2 });
  assert.deepEqual(dragArea(from, 0, 1), { top: 0, bottom: 1, left: 1, right: 2 });
  assert.deepEqual(dragArea(from, 3, 5), { top: 2, bottom: 3, left: 3, right: 5 });
  assert.equal(dragArea(from, 3, 2), null);
});

test('a fill continues the repetition in every direction', () => {
  const texts = [['a', 'b'], ['c', 'd']];
  const down = fillPattern(texts, from, { ...from, top: 4, bottom: 6 });
  assert.deepEqual(down.texts, [['a', 'b'], ['c', 'd']]);
  const up = fillPattern(texts, from, { ...from, top: 1, bottom: 1 });
  assert.deepEqual(up.texts, [['c', 'd']]);
  const right = fillPattern(texts, from, { ...from, left: 3, right: 3 });
  assert.deepEqual(right.texts, [['a'], ['c']]);
});

test('filling inside a range uses its first row or column', () => {
  assert.deepEqual(splitForFill(from, 'down'), { from: { ...from, bottom: 2 }, area: { ...from, top: 3 } });
  assert.deepEqual(splitForFill(from, 'right'), { from: { ...from, right: 1 }, area: { ...from, left: 2 } });
  assert.equal(splitForFill({ ...from, bottom: 2 }, 'down'), null);
});
