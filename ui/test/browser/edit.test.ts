import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Site, type DemoPage } from './site';

let site: Site;
before(async () => void (site = await Site.open()));
after(() => site.close());

const batches = (demo: DemoPage) => demo.page.evaluate(() => window.demo.source.calls.apply);

test('an invalid cell can be fixed with the keyboard, starting from the address bar', async () => {
  const demo = await site.page();
  await demo.press('Tab', 'Tab');
  assert.deepEqual(await demo.focused(), { row: 0, col: 0 });
  await demo.press('Alt+ArrowDown');
  await demo.page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  assert.deepEqual(await demo.focused(), { row: 4, col: 1 });
  const cell = demo.cell(4, 1);
  assert.match((await cell.getAttribute('aria-description'))!, /^Error: Invalid email address\./);
  assert.match((await demo.page.locator('.ig-live').textContent())!, /Row 5, E-mail\. Error/);
  assert.ok(await demo.page.locator('.ig-note').isVisible());
  await demo.press('Escape');
  assert.equal(await demo.page.locator('.ig-note').count(), 0);
  await demo.press('F2', 'Control+A');
  await demo.page.keyboard.type('zoe@example.org');
  await demo.press('Enter');
  assert.equal(await demo.text(4, 1), 'zoe@example.org');
  assert.deepEqual(await demo.focused(), { row: 5, col: 1 });
  await demo.waitUntilSaved();
  assert.equal(await cell.getAttribute('aria-invalid'), null);
  assert.ok(await cell.evaluate((element) => element.classList.contains('is-fixed')));
  await demo.press('Tab');
  assert.equal(await demo.focused(), null, 'Tab leaves the grid');
  assert.deepEqual(demo.pageErrors, []);
  await demo.close();
});

test('typing replaces the text, Escape cancels, Tab moves on', async () => {
  const demo = await site.page();
  await demo.cell(0, 1).click();
  const before = await demo.text(0, 1);
  await demo.page.keyboard.type('x');
  assert.equal(await demo.page.locator('.ig-editor textarea').inputValue(), 'x');
  await demo.press('Escape');
  assert.equal(await demo.text(0, 1), before);
  assert.deepEqual(await demo.focused(), { row: 0, col: 1 });
  await demo.page.keyboard.type('y@example.org');
  await demo.press('Tab');
  assert.deepEqual(await demo.focused(), { row: 0, col: 2 });
  await demo.waitUntilSaved();
  assert.equal((await batches(demo)).length, 1);
  await demo.close();
});

test('new text is shown immediately, validated later, and can be undone', async () => {
  const demo = await site.page('latency=150');
  await demo.cell(0, 1).click();
  await demo.page.keyboard.type('not an address');
  await demo.press('Enter');
  assert.equal(await demo.text(0, 1), 'not an address');
  assert.ok(await demo.cell(0, 1).evaluate((cell) => cell.classList.contains('is-pending')));
  await demo.waitUntilSaved();
  await demo.page.waitForFunction(() => document.querySelector('.ig-row[aria-rowindex="2"] [aria-colindex="3"]')?.getAttribute('aria-invalid') === 'true');
  await demo.press('Control+z');
  await demo.page.waitForFunction(() => document.querySelector('.ig-row[aria-rowindex="2"] [aria-colindex="3"]')?.textContent?.includes('@'));
  await demo.press('Control+Shift+z');
  await demo.page.waitForFunction(() => document.querySelector('.ig-row[aria-rowindex="2"] [aria-colindex="3"]')?.textContent === 'not an address');
  await demo.close();
});

test('typing searches a select, which changes only if something is chosen', async () => {
  const demo = await site.page();
  await demo.cell(6, 2).click();
  await demo.press('Enter', 'Enter');
  assert.equal(await demo.text(6, 2), 'Germny', 'opening the select changes nothing');
  await demo.press('ArrowUp');
  await demo.page.keyboard.type('germ');
  const option = demo.page.getByRole('option', { name: 'Germany' });
  assert.ok(await option.isVisible());
  await demo.press('Enter');
  await demo.waitUntilSaved();
  assert.equal(await demo.text(6, 2), 'Germany');
  assert.deepEqual((await batches(demo))[0]!.texts, [['DE']]);
  await demo.cell(7, 2).dblclick();
  await demo.page.keyboard.type('zzz');
  await demo.press('Enter');
  assert.ok(await demo.page.getByText('No matches.').isVisible());
  await demo.press('Escape');
  await demo.cell(8, 2).dblclick();
  await demo.page.getByRole('option', { name: 'Austria' }).click();
  assert.equal(await demo.text(8, 2), 'Austria');
  await demo.close();
});

test('multi-selects, checkboxes and dates can be edited', async () => {
  const demo = await site.page();
  await demo.cell(4, 6).click();
  await demo.press('Enter', 'Space', 'ArrowDown', 'Space', 'Enter');
  await demo.waitUntilSaved();
  assert.equal(await demo.text(4, 6), 'customer, supplier');
  await demo.cell(0, 5).click();
  const was = await demo.text(0, 5);
  await demo.press('Space');
  await demo.waitUntilSaved();
  assert.notEqual(await demo.text(0, 5), was);
  assert.match((await batches(demo)).at(-1)!.texts[0]![0]!, /^(true|false)$/);
  await demo.cell(0, 5).click({ position: { x: 18, y: 16 } });
  await demo.waitUntilSaved();
  assert.equal(await demo.text(0, 5), was, 'a click on the box toggles it');
  await demo.cell(0, 5).click({ position: { x: 70, y: 16 } });
  await demo.waitUntilSaved();
  assert.equal(await demo.text(0, 5), was, 'a click next to the box selects the cell');
  await demo.cell(3, 3).dblclick();
  assert.ok(await demo.page.getByRole('button', { name: 'Choose a date' }).isVisible());
  await demo.press('Control+A');
  await demo.page.keyboard.type('1999-09-09');
  await demo.press('Enter');
  assert.equal(await demo.text(3, 3), '1999-09-09');
  await demo.close();
});

test('Enter during a composition ends the composition, not the edit', async () => {
  const demo = await site.page();
  await demo.cell(0, 0).click();
  await demo.press('F2', 'Control+A');
  const session = await demo.page.context().newCDPSession(demo.page);
  await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
  await demo.page.evaluate(() => {
    const field = document.activeElement!;
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }));
  });
  assert.equal(await demo.page.locator('.ig-editor').count(), 1);
  await session.send('Input.insertText', { text: '日本' });
  await demo.press('Enter');
  await demo.waitUntilSaved();
  assert.equal(await demo.text(0, 0), '日本');
  await demo.close();
});

test('ranges, rows, columns and everything can be selected by keys and mouse', async () => {
  const demo = await site.page();
  const range = () => demo.page.evaluate(() => {
    const event = window.demo.events.findLast((one) => one.type === 'selection');
    return event?.type === 'selection' ? event.range : null;
  });
  await demo.cell(2, 1).click();
  await demo.press('Shift+ArrowDown', 'Shift+ArrowRight');
  assert.deepEqual(await range(), { top: 2, bottom: 3, left: 1, right: 2 });
  assert.equal(await demo.page.locator('.ig-cell[aria-selected=true]').count(), 4);
  await demo.cell(8, 4).click({ modifiers: ['Shift'] });
  assert.deepEqual(await range(), { top: 2, bottom: 8, left: 1, right: 4 });
  await demo.cell(5, 1).hover();
  await demo.page.mouse.down();
  await demo.cell(7, 3).hover();
  await demo.page.mouse.up();
  assert.deepEqual(await range(), { top: 5, bottom: 7, left: 1, right: 3 });
  await demo.press('Shift+Space');
  assert.deepEqual(await range(), { top: 5, bottom: 7, left: 0, right: 11 });
  await demo.press('Control+Space');
  assert.deepEqual([(await range())!.top, (await range())!.bottom], [0, 9_999_999]);
  await demo.page.locator('.ig-head-cell').nth(2).click();
  assert.deepEqual(await range(), { top: 0, bottom: 9_999_999, left: 2, right: 2 });
  await demo.page.locator('.ig-body .ig-number').nth(3).click();
  assert.deepEqual(await range(), { top: 3, bottom: 3, left: 0, right: 11 });
  await demo.press('Control+a');
  assert.deepEqual(await range(), { top: 0, bottom: 9_999_999, left: 0, right: 11 });
  await demo.close();
});

test('columns are resized and pinned by mouse and by keyboard', async () => {
  const demo = await site.page();
  const head = (name: string) => demo.page.getByRole('columnheader', { name });
  const width = async () => Math.round((await head('E-mail').boundingBox())!.width);
  assert.equal(await width(), 232);
  const box = (await head('E-mail').boundingBox())!;
  await demo.page.mouse.move(box.x + box.width - 1, box.y + 10);
  await demo.page.mouse.down();
  await demo.page.mouse.move(box.x + box.width + 59, box.y + 10, { steps: 4 });
  await demo.page.mouse.up();
  await demo.page.waitForTimeout(60);
  assert.equal(await width(), 292);
  await demo.cell(0, 1).click();
  await demo.press('ArrowUp', 'Enter', 'ArrowDown', 'Enter', 'Enter');
  await demo.page.waitForTimeout(60);
  assert.equal(await width(), 340);
  await demo.press('Escape');
  assert.deepEqual(await demo.focused(), { row: -1, col: 1 });
  await demo.press('ArrowRight', 'ArrowRight', 'Enter', 'Enter');
  assert.deepEqual(await demo.focused(), { row: -1, col: 1 }, 'the pinned column is next to the other pinned one');
  assert.equal(await demo.page.locator('.ig-head-cell:focus').textContent(), 'Born');
  await demo.page.locator('.ig-scroller').evaluate((scroller) => (scroller.scrollLeft = 600));
  await demo.page.waitForTimeout(60);
  assert.ok((await head('Born').boundingBox())!.x < 500);
  await demo.close();
});

test('a conflict shows both values and is reported to the host', async () => {
  const demo = await site.page();
  await demo.page.evaluate(() => (window.demo.source.behavior.conflictAt = 3));
  await demo.cell(3, 0).click();
  // A hovered cell takes precedence over the active one.
  await demo.page.mouse.move(0, 0);
  await demo.page.keyboard.type('Mine');
  await demo.press('Enter', 'ArrowUp');
  await demo.waitUntilSaved();
  await demo.page.waitForSelector('.ig-note');
  assert.equal(await demo.text(3, 0), 'Someone else');
  assert.match((await demo.page.locator('.ig-note').textContent())!, /contains “Someone else”; you entered “Mine”/);
  const event = await demo.page.evaluate(() => window.demo.events.find((one) => one.type === 'conflict'));
  assert.equal(event?.type === 'conflict' && event.conflict.mine, 'Mine');
  await demo.page.evaluate(() => (window.demo.source.behavior.conflictAt = 3));
  await demo.reach(3, 'country');
  await demo.page.keyboard.type('Italy');
  await demo.press('Enter', 'ArrowUp');
  await demo.waitUntilSaved();
  await demo.page.locator('.ig-note', { hasText: 'you entered “Italy”' }).waitFor();
  assert.match((await demo.cell(3, 2).getAttribute('aria-description'))!, /you entered “Italy”/);
  await demo.close();
});

test('offline changes wait and are sent once', async () => {
  const demo = await site.page();
  await demo.page.evaluate(() => (window.demo.source.behavior.outcome = 'lost'));
  await demo.cell(0, 0).click();
  await demo.page.keyboard.type('Waiting');
  await demo.press('Enter');
  const strip = demo.page.getByRole('group', { name: 'You’re offline.' });
  await strip.waitFor();
  assert.match((await strip.textContent())!, /1 change waiting to be saved/);
  assert.equal(await demo.text(0, 0), 'Waiting');
  await demo.page.evaluate(() => (window.demo.source.behavior.outcome = 'fine'));
  await strip.getByRole('button', { name: 'Try again' }).click();
  await demo.waitUntilSaved();
  await strip.waitFor({ state: 'detached' });
  assert.equal(await demo.text(0, 0), 'Waiting');
  assert.equal(new Set((await batches(demo)).map((batch) => batch.id)).size, 1);
  await demo.close();
});

test('markup in cells is shown as text', async () => {
  const demo = await site.page();
  await demo.page.evaluate(() => window.demo.grid!.goToRow(12, 'note'));
  assert.equal(await demo.text(12, 10), '<b>VIP</b>');
  assert.equal(await demo.page.locator('.ig-cell b').count(), 0);
  await demo.close();
});

test('dragging beyond the edge scrolls and selects', async () => {
  const demo = await site.page();
  await demo.cell(10, 1).hover();
  await demo.page.mouse.down();
  await demo.page.mouse.move(400, 798, { steps: 5 });
  await demo.page.waitForFunction(() => {
    const event = window.demo.events.findLast((one) => one.type === 'selection');
    return event?.type === 'selection' && (event.range?.bottom ?? 0) > 60;
  });
  await demo.page.mouse.up();
  await demo.close();
});

test('a tap selects a cell, and a second tap edits it', async () => {
  const demo = await site.page('', { hasTouch: true, viewport: { width: 400, height: 720 } });
  await demo.cell(2, 0).tap();
  assert.deepEqual(await demo.focused(), { row: 2, col: 0 });
  assert.equal(await demo.page.locator('.ig-editor').count(), 0);
  await demo.cell(2, 0).tap();
  assert.equal(await demo.page.locator('.ig-editor textarea').count(), 1);
  await demo.close();
});

test('the message of a cell is also shown on hover', async () => {
  const demo = await site.page();
  await demo.cell(4, 1).hover();
  await demo.page.locator('.ig-note').getByText('Invalid email address.').waitFor();
  await demo.page.locator('.ig-note').hover();
  await demo.page.waitForTimeout(300);
  assert.ok(await demo.page.locator('.ig-note').isVisible(), 'the message can be hovered');
  await demo.cell(1, 4).hover();
  await demo.page.locator('.ig-note').waitFor({ state: 'detached' });
  await demo.close();
});

test('the keyboard shows the message of the active cell while the mouse rests on another one', async () => {
  const demo = await site.page();
  const note = demo.page.locator('.ig-note');
  await demo.press('Tab', 'Tab', 'Alt+ArrowDown');
  await demo.page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  const first = await demo.page.evaluateHandle(() => document.activeElement);
  await demo.press('Alt+ArrowDown');
  await demo.page.waitForFunction((before) => document.activeElement !== before && document.activeElement?.getAttribute('aria-invalid') === 'true', first);
  const active = await demo.focused();
  const message = (await note.textContent())!;
  await demo.cell(4, 1).hover();
  await demo.page.waitForFunction((text) => document.querySelector('.ig-note')?.textContent !== text, message);
  await demo.press('ArrowLeft', 'ArrowRight');
  assert.deepEqual(await demo.focused(), active);
  assert.equal(await note.textContent(), message);
  await demo.close();
});

test('the message of a cell passes clicks to the cell under it, and the wheel scrolls', async () => {
  const demo = await site.page();
  const note = demo.page.locator('.ig-note');
  await demo.cell(4, 1).click();
  await note.waitFor();
  const tip = (await note.boundingBox())!;
  const inside = { x: tip.x + tip.width / 2, y: tip.y + tip.height / 2 };
  const below = await demo.page.evaluate(({ x, y }) => {
    const cell = document.elementsFromPoint(x, y).find((one) => one.matches('.ig-cell'))!;
    return { row: Number(cell.closest('.ig-row')!.getAttribute('aria-rowindex')) - 2, col: Number(cell.getAttribute('aria-colindex')) - 2 };
  }, inside);
  await demo.page.mouse.click(inside.x, inside.y);
  assert.deepEqual(await demo.focused(), below);
  assert.equal(await note.count(), 0);
  await demo.page.keyboard.type('x');
  assert.equal(await demo.page.locator('.ig-editor textarea').inputValue(), 'x');
  await demo.press('Escape');
  await demo.cell(4, 1).click();
  await note.waitFor();
  await demo.page.mouse.move(inside.x, inside.y);
  await demo.page.mouse.down();
  await demo.cell(below.row + 2, below.col + 1).hover();
  await demo.page.mouse.up();
  assert.equal(await demo.page.locator('.ig-cell[aria-selected=true]').count(), 6, 'a range can start there');
  await demo.cell(4, 1).click();
  await note.hover();
  await demo.page.mouse.wheel(0, 320);
  await demo.page.waitForFunction(() => document.querySelector('.ig-scroller')!.scrollTop >= 300);
  assert.deepEqual(demo.pageErrors, []);
  await demo.close();
});

test('a tap on the message of a cell selects the cell under it', async () => {
  const demo = await site.page('', { hasTouch: true, viewport: { width: 800, height: 720 } });
  await demo.cell(4, 1).tap();
  await demo.page.locator('.ig-note').waitFor();
  const below = (await demo.cell(5, 1).boundingBox())!;
  await demo.page.touchscreen.tap(below.x + 40, below.y + below.height - 8);
  assert.deepEqual(await demo.focused(), { row: 5, col: 1 });
  await demo.close();
});

test('the message of a cell stays within the table', async () => {
  for (const query of ['', 'dir=rtl']) {
    const demo = await site.page(query);
    await demo.page.locator('.demo-main').evaluate((main) => main.style.setProperty('margin', '0 300px 200px'));
    await demo.reach(6, 'country');
    await demo.page.locator('.ig-note').waitFor();
    await demo.page.waitForTimeout(100);
    const [frame, note] = [(await demo.page.locator('.ig-scroller').boundingBox())!, (await demo.page.locator('.ig-note').boundingBox())!];
    assert.ok(note.x >= frame.x && note.x + note.width <= frame.x + frame.width, `${query}: ${JSON.stringify([frame, note])}`);
    await demo.close();
  }
});

test('an empty checkbox neither looks nor reads like "no"', async () => {
  const demo = await site.page();
  const cell = demo.cell(0, 5);
  const box = () => cell.locator('.ig-text').evaluate((text) => getComputedStyle(text, '::before').borderTopColor);
  await cell.click();
  if ((await demo.text(0, 5)) === 'Yes') await demo.press('Space');
  await demo.waitUntilSaved();
  assert.equal(await demo.text(0, 5), 'No');
  await demo.press('Delete', 'ArrowUp', 'ArrowLeft');
  await demo.page.mouse.move(0, 0);
  await demo.waitUntilSaved();
  assert.equal(await demo.text(0, 5), '');
  assert.equal(await box(), 'rgba(0, 0, 0, 0)', 'the box is not visible');
  await cell.click({ position: { x: 18, y: 16 } });
  await demo.waitUntilSaved();
  assert.equal(await demo.text(0, 5), 'Yes', 'it can be ticked anyway');
  assert.notEqual(await box(), 'rgba(0, 0, 0, 0)');
  await demo.close();
});

test('a destroyed grid leaves nothing in the page', async () => {
  const demo = await site.page();
  await demo.page.evaluate(() => window.demo.grid!.destroy());
  assert.equal(await demo.page.locator('.ig').count(), 0);
  await demo.page.mouse.click(300, 300);
  await demo.press('ArrowDown', 'Control+c');
  await demo.page.waitForTimeout(400);
  assert.deepEqual(demo.pageErrors, []);
  await demo.close();
});
