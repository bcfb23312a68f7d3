import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countries, textOf } from '../../demo/generate';
import { Site, type DemoPage } from './site';

let site: Site;
before(async () => void (site = await Site.open()));
after(() => site.close());

const batches = (demo: DemoPage) => demo.page.evaluate(() => window.demo.source.calls.apply);
const clipboard = (demo: DemoPage) => demo.page.evaluate(() => navigator.clipboard.readText());

async function paste(demo: DemoPage, text: string): Promise<void> {
  await demo.page.evaluate((given) => navigator.clipboard.writeText(given), text);
  await demo.press('Control+v');
}

test('a paste of 10,000 cells is one batch', async () => {
  const demo = await site.page();
  const rows = Array.from({ length: 1000 }, (_, row) => Array.from({ length: 10 }, (_, col) => `${row}/${col}`));
  await demo.cell(50 - 45, 0).click();
  const started = Date.now();
  await paste(demo, rows.map((row) => row.join('\t')).join('\n'));
  await demo.waitUntilSaved();
  console.log(`paste of 10,000 cells: ${Date.now() - started} ms`);
  const sent = await batches(demo);
  assert.equal(sent.length, 1);
  assert.equal(sent[0]!.action, 'paste');
  assert.equal(sent[0]!.area.toRow - sent[0]!.area.fromRow, 1000);
  assert.deepEqual(sent[0]!.texts, rows);
  assert.equal(await demo.text(7, 1), '2/1');
  await demo.page.evaluate(() => window.demo.grid!.goToRow(1004, 'email'));
  await demo.page.waitForFunction(() => document.activeElement?.textContent === '999/1');
  await demo.press('Control+z');
  await demo.page.waitForFunction(() => window.demo.source.calls.undo === 1 && window.demo.grid!.pending === 0);
  assert.deepEqual(demo.pageErrors, []);
  await demo.close();
});

test('copying produces a table for spreadsheets', async () => {
  const demo = await site.page();
  await demo.page.evaluate(() => window.demo.grid!.goToRow(8, 'city'));
  await demo.press('Shift+ArrowRight', 'Control+c');
  const items = await demo.page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    return { plain: await (await item!.getType('text/plain')).text(), html: await (await item!.getType('text/html')).text() };
  });
  assert.match(items.plain, /^[^\t]+\t"call back\nbefore noon"$/);
  assert.match(items.html, /<td>call back<br>before noon<\/td>/);
  await demo.close();
});

test('a choice is copied as its label, and pasted into the grid as raw text', async () => {
  const demo = await site.page();
  const held = [0, 1, 9].map((row) => textOf(row, 'country'));
  const names = held.map((text) => countries.find((one) => one.text === text)!.label!);
  await demo.cell(0, 2).click();
  await demo.press('Shift+ArrowDown', 'Control+c');
  assert.equal(await clipboard(demo), `${names[0]}\r\n${names[1]}`);
  await demo.cell(3, 2).click();
  await demo.press('Control+v');
  await demo.cell(9, 2).click();
  await demo.press('Control+x');
  assert.equal(await clipboard(demo), names[2]);
  await demo.press('Control+v');
  await demo.cell(5, 2).click();
  await paste(demo, names[0]!);
  await demo.waitUntilSaved();
  const sent = (await batches(demo)).map((batch) => [batch.action, batch.texts]);
  assert.deepEqual(sent, [['paste', [[held[0]], [held[1]]]], ['cut', [['']]], ['paste', [[held[2]]]], ['paste', [[names[0]]]]]);
  await demo.close();
});

test('labels and raw text are also copied from rows that are not loaded', async () => {
  const demo = await site.page('rows=2000');
  const held = Array.from({ length: 2000 }, (_, row) => textOf(row, 'country'));
  await demo.cell(0, 2).click();
  await demo.press('Control+Shift+ArrowDown', 'Control+c');
  await demo.page.waitForFunction(() => /copied/.test(document.querySelector('.demo-selected')!.textContent!));
  assert.deepEqual((await clipboard(demo)).split('\r\n'), held.map((text) => countries.find((one) => one.text === text)?.label ?? text));
  await demo.reach(0, 'city');
  await demo.press('Control+v');
  await demo.waitUntilSaved();
  assert.deepEqual((await batches(demo))[0]!.texts, held.map((text) => [text]));
  await demo.close();
});

test('copying loads missing rows', async () => {
  const demo = await site.page();
  await demo.cell(0, 0).click();
  await demo.page.evaluate(() => window.demo.grid!.goToRow(0, 'name'));
  await demo.press('Control+Space');
  await demo.press('Control+c');
  assert.match((await demo.page.locator('.demo-selected').textContent())!, /at most 1,000,000 cells, not 10,000,000/);
  await demo.cell(0, 0).click();
  await demo.page.evaluate(() => window.demo.grid!.goToRow(4999, 'email'));
  await demo.page.evaluate(() => window.demo.grid!.goToRow(0, 'name'));
  for (let page = 0; page < 260; page++) await demo.press('Shift+PageDown');
  await demo.press('Control+c');
  await demo.page.waitForFunction(() => /copied/.test(document.querySelector('.demo-selected')!.textContent!));
  const lines = (await clipboard(demo)).split(/\r?\n/);
  assert.ok(lines.length > 4000, String(lines.length));
  assert.equal(lines[0], await demo.page.evaluate(() => window.demo.source.text(0, 'name')));
  assert.equal(lines[4000], await demo.page.evaluate(() => window.demo.source.text(4000, 'name')));
  await demo.close();
});

test('cut, clear, fill down, fill right and the fill handle', async () => {
  const demo = await site.page();
  const name = await demo.text(2, 0);
  await demo.cell(2, 0).click();
  await demo.press('Control+x');
  await demo.waitUntilSaved();
  assert.equal(await clipboard(demo), name);
  assert.equal(await demo.text(2, 0), '');
  await demo.cell(5, 7).click();
  await demo.press('Shift+ArrowDown', 'Delete');
  await demo.waitUntilSaved();
  assert.equal(await demo.text(6, 7), '');
  await demo.cell(0, 1).click();
  await demo.press('Shift+ArrowDown', 'Shift+ArrowDown', 'Control+d');
  await demo.waitUntilSaved();
  assert.equal(await demo.text(2, 1), await demo.text(0, 1));
  await demo.cell(9, 0).click();
  await demo.press('Shift+ArrowRight', 'Control+r');
  await demo.waitUntilSaved();
  assert.equal(await demo.text(9, 1), await demo.text(9, 0));
  await demo.cell(10, 0).click();
  await demo.page.locator('.ig-handle').hover();
  await demo.page.mouse.down();
  await demo.cell(14, 0).hover();
  await demo.page.mouse.up();
  await demo.waitUntilSaved();
  assert.equal(await demo.text(14, 0), await demo.text(10, 0));
  assert.deepEqual((await batches(demo)).map((batch) => batch.action), ['cut', 'clear', 'fill', 'fill', 'fill']);
  await demo.close();
});

test('one small batch clears ten million rows', async () => {
  const demo = await site.page();
  await demo.cell(0, 7).click();
  await demo.press('Control+Space', 'Delete');
  await demo.waitUntilSaved();
  const [batch] = await batches(demo);
  assert.deepEqual([batch!.area, batch!.texts], [{ fromRow: 0, toRow: 10_000_000, columns: ['phone'] }, [['']]]);
  assert.equal(await demo.text(3, 7), '');
  await demo.press('Control+End');
  await demo.page.waitForSelector('.ig-row[aria-rowindex="10000001"]:not(.is-waiting)');
  assert.equal(await demo.text(9_999_999, 7), '');
  await demo.close();
});

test('a paste reports what does not fit, and skips read-only columns', async () => {
  const demo = await site.page('rows=10');
  await demo.page.evaluate(() => window.demo.grid!.goToRow(8, 'note'));
  const before = await demo.page.evaluate(() => window.demo.source.text(8, 'source'));
  await paste(demo, 'a\tb\tc\nd\te\tf\ng\th\ti');
  await demo.waitUntilSaved();
  assert.equal(await demo.text(9, 10), 'd');
  assert.equal(await demo.page.evaluate(() => window.demo.source.text(8, 'source')), before);
  assert.match((await demo.page.locator('.demo-selected').textContent())!, /1 row and 1 column didn’t fit/);
  await demo.close();
});
