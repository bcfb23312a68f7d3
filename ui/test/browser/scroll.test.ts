import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Site } from './site';

let site: Site;
before(async () => void (site = await Site.open()));
after(() => site.close());

const last = 9_999_999;

test('Ctrl+End reaches the last of ten million rows, and Ctrl+Home the first', async () => {
  const demo = await site.page();
  await demo.cell(0, 0).click();
  await demo.press('Control+End');
  assert.deepEqual(await demo.focused(), { row: last, col: 11 });
  await demo.page.waitForFunction(() => document.activeElement?.textContent === '10000001');
  assert.equal(await demo.page.locator('[role=grid]').getAttribute('aria-rowcount'), '10000001');
  await demo.press('Control+Home');
  assert.deepEqual(await demo.focused(), { row: 0, col: 0 });
  assert.deepEqual(demo.pageErrors, []);
  await demo.close();
});

test('the scrollbar reaches the last row', async () => {
  const demo = await site.page();
  await demo.page.locator('.ig-scroller').evaluate((scroller) => (scroller.scrollTop = scroller.scrollHeight));
  await demo.page.waitForSelector(`.ig-row[aria-rowindex="${last + 2}"]:not(.is-waiting)`);
  const gap = await demo.cell(last, 0).evaluate((cell) => cell.closest('.ig-scroller')!.getBoundingClientRect().bottom - cell.getBoundingClientRect().bottom);
  assert.ok(gap >= 0 && gap < 33, `gap of ${gap} px below the last row`);
  await demo.close();
});

test('the wheel reaches the last row, and a tick scrolls the same distance as in a short table', async () => {
  const tick = async (rows: number, from: number) => {
    const demo = await site.page(`rows=${rows}`);
    await demo.page.evaluate((row) => window.demo.grid!.goToRow(row), from);
    await demo.page.mouse.move(600, 400);
    const top = () => demo.page.evaluate(() => {
      const cell = document.querySelector('.ig-body .ig-row')!;
      return (Number(cell.getAttribute('aria-rowindex')) - 2) * 32 - cell.getBoundingClientRect().top;
    });
    await demo.page.waitForTimeout(300);
    const before = await top();
    await demo.page.mouse.wheel(0, 240);
    await demo.page.waitForTimeout(500);
    const moved = (await top()) - before;
    await demo.close();
    return Math.round(moved);
  };
  assert.equal(await tick(1000, 200), 240);
  assert.equal(await tick(10_000_000, 5_000_000), 240);
  const demo = await site.page();
  await demo.page.evaluate((row) => window.demo.grid!.goToRow(row), last - 400);
  await demo.page.mouse.move(600, 400);
  for (let turn = 0; turn < 30; turn++) {
    await demo.page.mouse.wheel(0, 600);
    await demo.page.waitForTimeout(30);
  }
  await demo.page.waitForTimeout(600);
  assert.ok(await demo.cell(last, 0).isVisible());
  await demo.close();
});

test('"go to row" shows the row and moves the thumb', async () => {
  const demo = await site.page();
  await demo.page.getByLabel('Go to row').fill('7654321');
  await demo.press('Enter');
  assert.ok((await demo.cell(7_654_320, 0).boundingBox())!.y > 80);
  const thumb = await demo.page.locator('.ig-scroller').evaluate((scroller) => scroller.scrollTop / scroller.scrollHeight);
  assert.ok(Math.abs(thumb - 0.7654) < 0.005, String(thumb));
  await demo.close();
});

test('of 200 columns, only the visible ones are drawn, and the last can be reached', async () => {
  const demo = await site.page('columns=200');
  assert.ok((await demo.page.locator('.ig-row:nth-child(3) .ig-cell').count()) < 16);
  await demo.cell(0, 0).click();
  await demo.press('End');
  assert.deepEqual(await demo.focused(), { row: 0, col: 199 });
  const colcount = await demo.page.locator('[role=grid]').getAttribute('aria-colcount');
  assert.equal(colcount, '201');
  await demo.press('Home', 'ArrowRight', 'ArrowRight');
  assert.deepEqual(await demo.focused(), { row: 0, col: 2 });
  await demo.close();
});

test('pinned cells never hide the focus', async () => {
  const demo = await site.page('', { viewport: { width: 700, height: 500 } });
  await demo.page.evaluate(() => window.demo.grid!.goToRow(500, 'city'));
  for (const key of [...Array<string>(14).fill('ArrowLeft'), ...Array<string>(14).fill('ArrowUp'), ...Array<string>(9).fill('ArrowRight')]) {
    await demo.press(key);
    const hidden = await demo.page.evaluate(() => {
      const cell = document.activeElement!;
      const box = cell.getBoundingClientRect();
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      return !cell.contains(top);
    });
    assert.ok(!hidden, key);
  }
  await demo.close();
});

test('row elements are in reading order', async () => {
  const demo = await site.page();
  await demo.cell(0, 0).click();
  await demo.page.mouse.move(600, 400);
  await demo.page.mouse.wheel(0, 900);
  await demo.page.waitForTimeout(700);
  const order = await demo.page.locator('.ig-body .ig-row').evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('aria-rowindex'))));
  assert.deepEqual(order, [...order].sort((a, b) => a - b));
  await demo.close();
});

test('after scrolling away, the grid keeps the focus, and a key returns to the cell', async () => {
  const demo = await site.page();
  await demo.cell(3, 1).click();
  await demo.page.locator('.ig-scroller').evaluate((scroller) => (scroller.scrollTop = 4_000_000));
  await demo.page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'grid');
  await demo.press('ArrowDown');
  assert.deepEqual(await demo.focused(), { row: 4, col: 1 });
  await demo.close();
});
