import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScrollScale } from '../../grid/scroll-scale';

const rowHeight = 32;
const page = 640;

function tall(rows: number): ScrollScale {
  const scale = new ScrollScale();
  scale.settled(scale.resize(rows * rowHeight, page));
  return scale;
}

test('a short table scrolls one to one', () => {
  const scale = tall(1000);
  assert.equal(scale.height, 32_000);
  assert.equal(scale.scrolled(5000), 5000);
  assert.equal(scale.top, 5000);
  assert.equal(scale.shift, 0);
  assert.equal(scale.rebase(), null);
});

for (const rows of [300_000, 1_000_000, 5_000_000, 10_000_000, 100_000_000]) {
  test(`${rows} rows: the scrollbar reaches both ends`, () => {
    const scale = tall(rows);
    assert.equal(scale.height, 8_000_000);
    scale.scrolled(scale.height - page);
    assert.equal(scale.top, rows * rowHeight - page);
    scale.scrolled(0);
    assert.equal(scale.top, 0);
  });

  test(`${rows} rows: a tick of the wheel scrolls the same distance anywhere`, () => {
    for (const part of [0, 0.3, 0.99]) {
      const scale = tall(rows);
      const physical = scale.place(scale.max * part);
      assert.equal(scale.scrolled(physical + 120), 120);
    }
  });

  test(`${rows} rows: a position stays the same when scrollTop is rounded`, () => {
    const scale = tall(rows);
    const last = (rows - 1) * rowHeight;
    scale.settled(Math.round(scale.place(last)));
    assert.ok(last + rowHeight <= scale.top + page, 'the last row is in view');
    assert.ok(Number.isSafeInteger(Math.round(last + scale.shift)));
    assert.ok(last + scale.shift <= 8_000_000, 'rows are drawn where browsers draw sharply');
  });
}

test('rebase corrects the drift of the thumb without moving the rows', () => {
  const scale = tall(10_000_000);
  let physical = scale.place(1_000_000);
  for (let tick = 0; tick < 50; tick++) scale.scrolled((physical += 120));
  assert.equal(scale.top, 1_006_000);
  const put = scale.rebase();
  const even = 40_000 + ((1_006_000 - 40_000) / (scale.max - 80_000)) * (8_000_000 - page - 80_000);
  assert.equal(put, Math.round(even));
  assert.equal(scale.top, 1_006_000);
  assert.equal(scale.rebase(), null);
});

test('the wheel still scrolls when the scrollbar ends before the rows', () => {
  const scale = tall(10_000_000);
  let physical = scale.place(scale.max - 100_000);
  for (let tick = 0; tick < 2000 && scale.top < scale.max; tick++) {
    physical = Math.min(8_000_000 - page, physical + 120);
    scale.scrolled(physical);
    if (scale.stuck) physical = scale.rebase() ?? physical;
  }
  assert.equal(scale.top, scale.max);
  assert.equal(scale.stuck, false);
});

test('a long turn of the wheel in one frame is not a jump', () => {
  const scale = tall(10_000_000);
  const physical = scale.place(160_000_000);
  assert.equal(scale.scrolled(physical + 5000), 5000);
});

test('dragging the thumb by one pixel is a jump', () => {
  const scale = tall(10_000_000);
  const physical = scale.place(160_000_000);
  assert.ok(scale.scrolled(physical + 8_000_000 / page) > 400_000);
});

test('a table that shrinks stays at its end', () => {
  const scale = tall(10_000_000);
  scale.place(scale.max);
  scale.resize(10 * rowHeight, page);
  assert.equal(scale.top, 0);
  assert.equal(scale.height, 320);
});
