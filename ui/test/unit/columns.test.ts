import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Columns, minWidth } from '../../grid/columns';
import { matchingChoices } from '../../grid/editors/listbox';
import type { Column } from '../../grid/row-source';

const given: Column[] = Array.from({ length: 200 }, (_, n) => ({ key: `k${n}`, label: `K ${n}`, kind: 'text', width: 100, pinned: n === 3 }));

function made(room = 600): Columns {
  const columns = new Columns(given);
  columns.fit(50, room);
  return columns;
}

test('pinned columns are shown first and keep their index in the row', () => {
  const columns = made();
  assert.equal(columns.at(0).key, 'k3');
  assert.equal(columns.sourceIndex(1), 0);
  assert.equal(columns.paneWidth, 150);
  assert.equal(columns.start(1), 150);
  assert.equal(columns.totalWidth, 20_050);
  assert.equal(columns.position('k0'), 1);
});

test('only visible columns are drawn', () => {
  assert.deepEqual(made().visible(0, 800), { first: 1, last: 7 });
  assert.deepEqual(made().visible(10_000, 800), { first: 101, last: 107 });
  assert.equal(made().visible(19_250, 800).last, 199);
});

test('pins are ignored if they leave no room to scroll', () => {
  const columns = made(140);
  assert.equal(columns.pinnedCount, 0);
  assert.ok(columns.isPinned(0), 'the pin is still set');
  columns.fit(50, 600);
  assert.equal(columns.pinnedCount, 1);
});

test('widths are limited and survive setColumns', () => {
  const columns = made();
  columns.resize(1, 7);
  assert.equal(columns.width(1), minWidth);
  columns.setColumns(given.slice(0, 2));
  assert.equal(columns.width(0), minWidth);
  assert.equal(columns.count, 2);
});

test('positionAt returns the column at an offset', () => {
  const columns = made();
  assert.deepEqual([0, 149, 150, 20_049, 99_999].map((x) => columns.positionAt(x)), [0, 0, 1, 199, 199]);
});

test('choices that begin with the words come first, ignoring case and accents', () => {
  const choices = [{ text: 'NG', label: 'Nigeria' }, { text: 'DE', label: 'Germany' }, { text: 'TR', label: 'Türkiye' }];
  assert.deepEqual(matchingChoices(choices, 'ge').map((choice) => choice.text), ['DE', 'NG']);
  assert.deepEqual(matchingChoices(choices, 'TURK').map((choice) => choice.text), ['TR']);
  assert.equal(matchingChoices(choices, '').length, 3);
  assert.equal(matchingChoices(choices, 'x').length, 0);
});
