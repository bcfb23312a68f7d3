import assert from 'node:assert/strict';
import { after, afterEach, before, test, type TestContext } from 'node:test';
import { contacts, fields } from './cells-rows';
import { Service, type ReviewPage } from './cells-service';

let service: Service | null;
before(async () => void (service = await Service.open()));
after(() => service?.close());
afterEach(() => {
  if (!service) return;
  service.wire.cut = false;
  service.wire.lose = () => false;
});

/**
 * Defines a test with a number of contacts or a CSV file. The test is skipped, with the
 * reason, if the server is not available.
 */
function review(name: string, rows: number | string, act: (page: ReviewPage, service: Service, link: string, context: TestContext) => Promise<void>): void {
  test(name, async (context) => {
    if (!service) return context.skip('there is neither the program nor Go to build it');
    const link = await service.review(fields, typeof rows === 'number' ? contacts(rows) : rows);
    const page = await service.page(link, { viewport: { width: 1600, height: 900 } });
    await act(page, service, link, context);
    assert.deepEqual(page.pageErrors.filter((one) => !/Failed to load resource/.test(one)), []);
    await page.close();
  });
}

/** Waits until the table has the focus. */
const inTable = ({ page }: ReviewPage) => page.waitForFunction(() => document.activeElement!.closest('[role=grid]') !== null, null, { timeout: 2000 });

review('one click fixes all equal values, and undo restores them', 700, async (it) => {
  const before = await it.count('Problems');
  const group = it.group('Country');
  await group.locator('.c-fix').click();
  await it.page.getByText(/6\d cells replaced/).waitFor();
  await it.waitUntilSaved();
  await group.locator('.c-group-head .c-count').filter({ hasText: /^3\d$/ }).waitFor();
  await it.waitForFewer('Problems', before);
  assert.equal(await it.cell(2, 2).textContent(), 'Germany');
  await it.page.locator('.c-outcome .c-link').click();
  await it.waitForCount('Problems', before);
  assert.ok(await inTable(it));
  await it.cell(2, 2).filter({ hasText: 'Germny' }).waitFor();
});

review('a problem group shows its rows, and fixed rows stay in view until refreshed', 700, async (it) => {
  await it.group('E-mail').locator('.c-group-head').click();
  await it.page.getByText('Row 4 (1 of 64)').waitFor();
  assert.equal(await it.page.locator('.ig-cell.is-active').textContent(), 'person3@exa mple.org');
  await it.press('Enter', 'Control+a');
  await it.page.keyboard.type('person3@example.org');
  await it.press('Enter');
  await it.page.getByText('1 row no longer matches').waitFor();
  assert.match((await it.page.locator('.ig-row.is-past').getAttribute('aria-rowindex'))!, /^2$/);
  await it.page.getByRole('button', { name: 'Refresh' }).click();
  await it.page.getByText(/^Row \d+ \(1 of 63\)$/).waitFor();
  assert.ok(await inTable(it));
  await it.page.getByRole('button', { name: 'Remove filter' }).click();
  await it.page.getByText(/^Row \d+ \(1 of (?!63)/).waitFor();
  assert.ok(await inTable(it));
});

review('an edit is validated and survives a reload', 300, async (it, service, link) => {
  await it.type(2, 2, 'Poland');
  await it.waitUntilSaved();
  await it.page.locator('.ig-row[aria-rowindex="4"] .is-fixed').waitFor();
  await it.page.reload();
  await it.cell(2, 2).filter({ hasText: 'Poland' }).waitFor();
  const other = await service.page(link);
  assert.equal(await other.cell(2, 2).textContent(), 'Poland');
  await other.close();
});

review('ten thousand cells are pasted as one change', 5200, async (it) => {
  const table = Array.from({ length: 5000 }, (_, n) => `Name ${n}\tname${n}@example.org`).join('\n');
  await it.cell(0, 0).click();
  await it.page.evaluate((text) => navigator.clipboard.writeText(text), table);
  await it.press('Control+v');
  await it.page.getByText('10,000 cells changed').first().waitFor();
  await it.waitUntilSaved();
  await it.press('Control+g');
  await it.page.locator('dialog input:focus').waitFor();
  await it.page.keyboard.type('5000');
  await it.press('Enter');
  await it.page.locator('.ig-cell', { hasText: 'name4999@example.org' }).waitFor();
  await it.press('Control+z');
  await it.page.getByText('Undone: 10,000 cells').waitFor();
  await it.page.getByRole('button', { name: /^Undo/ }).and(it.page.locator(':disabled')).waitFor();
});

review('after a conflict, both texts are shown, and either can be kept', 300, async (it, service, link) => {
  const other = await service.page(link);
  for (const [row, choice, stands] of [[5, 'Keep theirs', 'Theirs'], [6, 'Use yours', 'Mine']] as const) {
    await it.cell(row, 0).dblclick();
    await it.press('Control+a');
    await it.page.keyboard.type('Mine');
    await other.type(row, 0, 'Theirs');
    await other.waitUntilSaved();
    await it.press('Enter');
    const box = it.page.locator('.c-conflicts');
    await box.waitFor();
    assert.match((await box.textContent())!, /Theirs.*Mine/s);
    await box.getByRole('button', { name: choice }).click();
    await box.waitFor({ state: 'detached' });
    assert.ok(await inTable(it), choice);
    await it.waitUntilSaved();
    await it.cell(row, 0).filter({ hasText: stands }).waitFor();
    await other.cell(row, 0).filter({ hasText: stands }).waitFor();
  }
  await other.close();
});

review('changes by other users appear automatically', 300, async (it, service, link) => {
  const other = await service.page(link);
  await other.type(1, 0, 'From the other window');
  await it.cell(1, 0).filter({ hasText: 'From the other window' }).waitFor();
  await other.close();
});

review('offline changes wait and are made once', 300, async (it, service) => {
  service.wire.cut = true;
  await it.type(4, 0, 'Written offline');
  await it.page.getByText('1 change waiting to be saved.').first().waitFor();
  service.wire.cut = false;
  await it.page.locator('.ig-sign button').click();
  await it.waitUntilSaved();
  assert.equal(await it.cell(4, 0).textContent(), 'Written offline');
});

review('a change with a lost response is not made twice', 300, async (it, service) => {
  let lost = 0;
  service.wire.lose = (method, path) => method === 'POST' && path.includes('/edits/') && lost++ === 0;
  await it.type(4, 0, 'Once');
  await it.waitUntilSaved();
  assert.equal(lost, 2);
  await it.press('Control+z');
  await it.cell(4, 0).filter({ hasText: 'Aoife' }).waitFor();
  await it.page.locator('.c-turn:disabled', { hasText: 'Undo' }).waitFor();
});

review('find and replace previews, applies and undoes a change', 1000, async (it) => {
  await it.press('Control+h');
  await it.page.getByLabel('Find', { exact: true }).fill('exa mple');
  await it.page.getByLabel('Replace with').fill('example');
  await it.page.getByText(/Changes 91 cells in .*91 rows.*\. \d+ rows become valid\./).waitFor();
  assert.equal(await it.page.locator('.c-samples tbody tr').count(), 20);
  await it.page.getByRole('button', { name: 'Replace 91 cells' }).click();
  await it.page.getByText('91 cells replaced').waitFor();
  await it.group('E-mail').waitFor({ state: 'detached' });
  await it.page.locator('.c-outcome .c-link').click();
  await it.group('E-mail').waitFor();
});

review('an invalid regular expression is reported', 50, async (it) => {
  await it.press('Control+h');
  await it.page.getByLabel('Find', { exact: true }).fill('(');
  await it.page.getByLabel('Regular expression').check();
  await it.page.getByText('Invalid expression: missing closing parenthesis (`(`).', { exact: true }).waitFor();
  await it.page.getByLabel('Whole cell').check();
  await it.page.getByText('Invalid expression: missing closing parenthesis (`(`).', { exact: true }).waitFor();
});

test('an invalid regular expression is reported in the language of the page', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const it = await service.page(await service.review(fields, contacts(50)), { query: '?lang=de' });
  await it.press('Control+h');
  await it.page.locator('.c-replace input').first().fill('a{2');
  await it.page.getByLabel('Regulärer Ausdruck').check();
  await it.page.locator('.c-preview-sum').filter({ hasText: /\S/ }).waitFor();
  await it.page.locator('.c-replace input').first().fill('[a');
  await it.page.getByText('Ungültiger Ausdruck: schließende eckige Klammer fehlt: „[a“.', { exact: true }).waitFor();
  await it.close();
});

review('find and replace starts with the search text, selected', 300, async (it) => {
  await it.press('Control+f');
  await it.page.keyboard.type('nowak');
  await it.page.getByText(/^Row \d+ \(1 of 3\d\)$/).waitFor();
  await it.press('Control+h');
  const find = it.page.getByLabel('Find', { exact: true });
  await it.page.waitForFunction(() => document.activeElement?.closest('.c-replace') != null);
  assert.equal(await find.inputValue(), 'nowak');
  await it.page.keyboard.type('weiß');
  assert.equal(await find.inputValue(), 'weiß');
});

/** Returns the class and text of the focused element. */
const focused = ({ page }: ReviewPage) => page.evaluate(() => `${document.activeElement!.className} ${document.activeElement!.textContent}`);

review('the focus moves to the next value, then the next problem, then the heading of the panel', 12, async (it) => {
  await it.group('Country').locator('.c-choose, .c-other').first().focus();
  for (const country of ['Poland', 'Italy']) {
    const before = await it.group('Country').locator('.c-value').count();
    await it.press('Enter');
    await it.page.locator('.c-chooser input:focus').waitFor();
    await it.page.keyboard.type(country);
    await it.page.getByRole('option', { name: country }).waitFor();
    await it.press('Enter');
    if (before > 1) await it.page.waitForFunction((n) => document.querySelectorAll('.c-group.is-open .c-value').length < n, before);
    else await it.group('Country').waitFor({ state: 'detached' });
    await it.page.waitForFunction(() => document.activeElement !== document.body);
    assert.match(await focused(it), before > 1 ? /^c-(choose|other) / : /^c-group-head /, country);
  }
  while (await it.page.locator('.c-group').count()) {
    const left = await it.page.locator('.c-group').count();
    if (!(await it.page.locator('.c-group.is-open').count())) await it.page.locator('.c-group-head').first().press('Enter');
    await it.page.locator('.c-group.is-open').getByRole('button', { name: /^Delete/ }).press('Enter');
    await it.page.waitForFunction((n) => document.querySelectorAll('.c-group').length < n, left);
    await it.page.waitForFunction(() => document.activeElement !== document.body);
    if (left > 1) assert.match(await focused(it), /^c-group-head /);
  }
  assert.equal(await it.page.evaluate(() => document.activeElement!.id), 'cells-problems');
});

review('the result of an undo is shown until the next change', 50, async (it) => {
  await it.type(1, 0, 'Somebody');
  await it.waitUntilSaved();
  await it.press('Control+z');
  const outcome = it.page.locator('.c-outcome [role=status]');
  // The timeout is short, because every message disappears after a while.
  const gone = () => outcome.filter({ hasNotText: /\S/ }).waitFor({ state: 'attached', timeout: 6000 });
  await outcome.filter({ hasText: 'Undone: 1 cell' }).waitFor();
  await it.type(1, 0, 'Someone else');
  await gone();
  await it.cell(1, 0).click();
  await it.cell(2, 1).click({ modifiers: ['Shift'] });
  await it.press('Delete');
  await outcome.filter({ hasText: '4 cells changed' }).waitFor();
  await it.type(1, 0, 'Nobody');
  await gone();
});

review('trimming is offered only if values begin or end with a space', `${contacts(30)}Ada, ada(at)example.org ,DE,1990-01-01,Active,yes,1,\n`, async (it) => {
  const trim = (field: string) => it.group(field).getByRole('button', { name: 'Trim spaces' });
  await it.group('E-mail').locator('.c-group-head').click();
  await it.group('E-mail').locator('.c-value').first().waitFor();
  await trim('E-mail').waitFor();
  await it.group('Country').locator('.c-group-head').click();
  await it.group('Country').locator('.c-value').first().waitFor();
  assert.equal(await trim('Country').count(), 0);
  await it.page.getByRole('tab', { name: 'All' }).click();
  await it.page.getByText(/^Row \d+ of 31$/).waitFor();
  const item = it.page.getByRole('menuitem', { name: 'Trim spaces' });
  for (const [row, off] of [[0, null], [1, 'true']] as const) {
    await it.cell(row, 7).click({ button: 'right' });
    assert.equal(await item.getAttribute('aria-disabled'), off);
    await it.press('Escape');
  }
});

test('in a narrow window, the status bar is neither cut off nor overlapping', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const link = await service.review(fields, contacts(300));
  for (const [size, query] of [[640, ''], [640, '?lang=de'], [640, '?lang=ar'], [400, '?lang=de'], [910, '?lang=de']] as const) {
    const it = await service.page(link, { query, viewport: { width: size, height: 500 } });
    if (size < 560) {
      await it.page.locator('.c-panel-button').click();
      await it.page.locator('.c-panel .c-fix').first().click();
    } else {
      await it.cell(1, 0).click();
      await it.cell(3, 1).click({ modifiers: ['Shift'] });
      await it.page.keyboard.press('Delete');
    }
    await it.page.locator('.c-outcome .c-link').waitFor();
    await it.waitUntilSaved();
    assert.deepEqual(await it.page.evaluate(layoutFaults), [], `${size} ${query}`);
    await it.page.locator('.c-outcome .c-link').click();
    await it.waitUntilSaved();
    await it.close();
  }
});

/** Runs in the page. Returns the elements of the status bar that are cut off or overlap. */
function layoutFaults(): string[] {
  const bar = document.querySelector('.c-status')!;
  const frame = bar.getBoundingClientRect();
  const shown = [...bar.querySelectorAll('.c-selected, .c-outcome [role=status], .c-link, .c-saving, .c-turn')].filter((one) => one.textContent !== '');
  const boxes = shown.map((one) => ({ text: one.textContent, box: one.getBoundingClientRect(), cut: one.scrollWidth > one.clientWidth + 1 && one.matches('[role=status]') }));
  const apart = (a: DOMRect, b: DOMRect) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  const found = boxes.filter(({ box, cut }) => cut || box.left < frame.left || box.right > frame.right || box.bottom > innerHeight || box.width < 8).map(({ text }) => `cut: ${text}`);
  boxes.forEach((a, at) => boxes.slice(at + 1).forEach((b) => apart(a.box, b.box) || found.push(`${a.text} over ${b.text}`)));
  if (!shown.some((one) => one.matches('[role=status]'))) found.push('no outcome is shown');
  return found;
}

test('shortcuts and column names keep their direction in a right-to-left page', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const it = await service.page(await service.review(fields, contacts(50)), { query: '?lang=ar' });
  const keys = it.page.locator('.c-turn kbd').last();
  assert.deepEqual(await keys.evaluate((key) => [key.textContent, getComputedStyle(key).direction]), ['Alt+↓', 'ltr']);
  await it.press('Control+h');
  await it.page.locator('.c-replace input').first().fill('exa mple');
  await it.page.locator('.c-samples').waitFor();
  const sides = await it.page.locator('.c-samples tr').first().evaluate((head) => [head.querySelectorAll('th')[1]!, head.closest('table')!.querySelectorAll('tbody td')[1]!].map((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return Math.round(range.getBoundingClientRect().right);
  }));
  assert.equal(sides[0], sides[1], 'a column starts at its heading');
  await it.close();
});

review('a search filters while typing, and Esc clears it', 1000, async (it) => {
  await it.press('Control+f');
  await it.page.keyboard.type('ŁUKASZ');
  await it.page.getByText('Row 4 (1 of 100)').waitFor();
  await it.page.getByRole('button', { name: /^Search in/ }).click();
  await it.page.getByRole('option', { name: 'E-mail' }).click();
  await it.page.getByText('No matching rows.', { exact: true }).waitFor();
  await it.page.getByRole('searchbox').press('Escape');
  await it.page.getByText('Row 1 of 1,000').waitFor();
});

review('typing during a search loses no letters', 1000, async (it) => {
  await it.press('Control+f');
  // The delay is that of the search, so that results arrive between the letters.
  await it.page.keyboard.type('Anna Nowak', { delay: 300 });
  assert.equal(await it.page.getByRole('searchbox').inputValue(), 'Anna Nowak');
});

review('a search with a lost response is repeated', 200, async (it, service) => {
  // Browsers retry such a call a few times.
  service.wire.lose = (_, path) => path.includes('search=');
  await it.press('Control+f');
  await it.page.keyboard.type('nowak');
  await it.page.getByText('The service didn’t respond.').waitFor();
  service.wire.lose = () => false;
  await it.page.getByText(/^Row \d+ \(1 of 2\d\)$/).waitFor();
  assert.equal(await it.page.getByText('The service didn’t respond.').count(), 0);
});

review('all values of a field can be replaced in one step', 700, async (it) => {
  await it.group('Status').locator('.c-group-head').click();
  await it.page.getByRole('button', { name: 'All values…' }).click();
  await it.page.getByRole('button', { name: /New value for .*Archived/ }).click();
  await it.page.getByRole('option', { name: 'Inactive' }).click();
  await it.page.getByText(/Changes 54 cells/).waitFor();
  await it.page.getByRole('button', { name: 'Replace 54 cells', exact: true }).click();
  await it.group('Status').waitFor({ state: 'detached' });
});

review('a selection can be trimmed, uppercased, filled down and deleted', 300, async (it) => {
  await it.cell(0, 7).click();
  await it.cell(5, 7).click({ modifiers: ['Shift'] });
  await it.press('ContextMenu');
  await it.page.getByRole('menuitem', { name: 'Trim spaces' }).click();
  await it.page.getByText('2 cells changed').first().waitFor();
  await it.cell(0, 7).filter({ hasText: /^call back$/ }).waitFor();
  await it.cell(0, 7).click({ button: 'right' });
  await it.page.getByRole('menuitem', { name: 'UPPERCASE' }).click();
  await it.cell(0, 7).filter({ hasText: 'CALL BACK' }).waitFor();
  await it.press('Shift+ArrowDown', 'Control+d');
  await it.cell(1, 7).filter({ hasText: 'CALL BACK' }).waitFor();
  await it.waitUntilSaved();
  await it.cell(1, 0).click({ button: 'right' });
  await it.page.getByRole('menuitem', { name: 'Delete the row' }).click();
  await it.page.getByText('1 row deleted').waitFor();
  await it.waitForCount('All', 299);
  await it.cell(1, 0).filter({ hasText: 'María' }).waitFor();
  await it.press('Control+z');
  await it.waitForCount('All', 300);
});

review('the problems of a cell are shown next to it, but not under a menu', 300, async (it) => {
  await it.cell(2, 2).click();
  await it.page.locator('.ig-note').waitFor();
  await it.press('ContextMenu');
  await it.page.getByRole('menu').waitFor();
  await it.page.locator('.ig-note').waitFor({ state: 'detached' });
  await it.press('Escape');
  await it.page.locator('.ig-note').waitFor();
});

review('a row is added at the end', 250, async (it) => {
  await it.page.getByRole('button', { name: 'More' }).click();
  await it.page.getByRole('menuitem', { name: 'Add a row' }).click();
  await it.page.getByText('Row 251 of 251').waitFor();
  // The row does not accept typing until it is loaded.
  await it.page.locator('.ig-row[aria-rowindex="252"]:not(.is-waiting)').waitFor();
  await it.page.keyboard.type('Somebody new');
  await it.press('Enter');
  await it.waitUntilSaved();
  assert.equal(await it.cell(250, 0).textContent(), 'Somebody new');
});

review('rows with problems can be downloaded, fixed and uploaded', 300, async (it) => {
  await it.page.getByRole('button', { name: 'More' }).click();
  const [download] = await Promise.all([it.page.waitForEvent('download'), it.page.getByRole('menuitem', { name: /Download \d+ rows with problems/ }).click()]);
  assert.match(download.suggestedFilename(), /\.xlsx$/);
  await it.page.getByRole('button', { name: 'More' }).click();
  await it.page.getByRole('menuitem', { name: 'Upload fixed rows' }).click();
  await it.page.locator('input[type=file]').setInputFiles({ name: 'fixed.csv', mimeType: 'text/csv', buffer: Buffer.from('Row,Country,Color\n2,Poland,red\n9,Italy,\n99999,DE,\n') });
  await it.page.getByText(/Changes 2 cells in .*2 rows.*\. 2 rows become valid\./).waitFor();
  await it.page.getByText(/1 row in the file doesn’t match any row here/).waitFor();
  await it.page.getByText(/Color.* doesn’t match a field/).waitFor();
  await it.page.getByRole('button', { name: 'Merge 2 cells' }).click();
  await it.cell(2, 2).filter({ hasText: 'Poland' }).waitFor();
});

review('rows with a wrong number of cells have a row problem and can be accepted', `${contacts(4).replace('Germny', 'DE').replace('exa mple', 'example')}Short\nLong,row@example.org,DE,1990-01-01,Active,yes,1,y,z\n`, async (it) => {
  const group = it.group('Whole row');
  await group.locator('.c-group-head').click();
  await it.page.getByText('Row 5 (1 of 2)').waitFor();
  await it.page.locator('.ig-body .ig-number[aria-description^="Error: This row has 1 cell"]').waitFor();
  await group.getByRole('button', { name: 'Accept 2 rows' }).click();
  await it.page.getByText('2 rows accepted').waitFor();
  await it.page.getByText(/rows are ready$/).waitFor();
  await it.press('Control+z');
  await group.waitFor();
});

const hostile = [
  'Name,E-mail,Country,Born,Status,Newsletter,Revenue,Note',
  '"<img src=x onerror=alert(1)><script>alert(2)</script>",a@example.org,DE,1990-01-01,Active,yes,1,"{{7*7}} ${7*7} \'"""',
  'a\u202ecod.exe,b@example.org,"<b>DE</b>",1990-01-01,Active,yes,1,\u0001\u0002\u200b',
  `${'x'.repeat(1 << 20)},c@example.org,DE,1990-01-01,Active,yes,1,y`,
  `${'z'.repeat(10_000)},c@example.org,DE,1990-01-01,Active,yes,1,y`,
  `Cut,c@example.org,${'q'.repeat(70_000)},1990-01-01,Active,yes,1,y`,
  // This text is complete, although it is as long as truncated text.
  `Whole,c@example.org,${'w'.repeat((1 << 16) - 3)}…,1990-01-01,Active,yes,1,y`,
].join('\n');

review('all cells are shown as text, and a truncated text is not saved', hostile, async (it) => {
  assert.equal(await it.cell(0, 0).textContent(), '<img src=x onerror=alert(1)><script>alert(2)</script>');
  assert.equal(await it.cell(1, 0).textContent(), 'a⟨U+202E⟩cod.exe');
  await it.group('Country').locator('.c-value-text', { hasText: '<b>DE</b>' }).waitFor();
  for (const [text, choosing] of [['qqq', 0], ['www', 1]] as const) {
    assert.equal(await it.group('Country').locator('.c-value', { hasText: text }).locator('.c-choose, .c-other').count(), choosing, text);
  }
  await it.cell(2, 0).dblclick();
  await it.page.getByText(/too long to edit here; only the first .*64 KiB.* are shown/).waitFor();
  assert.equal((await it.page.locator('.c-long').textContent())!.length, (1 << 16) + 1);
  await it.press('Escape');
  await it.page.locator('.c-long').waitFor({ state: 'detached' });
  await it.press('Control+c');
  await it.page.getByText(/is too long to copy/).first().waitFor();
  // Text that a request for a single row returns completely can be edited.
  await it.cell(3, 0).dblclick();
  const field = it.page.locator('.ig-field');
  await field.waitFor();
  assert.equal((await field.inputValue()).length, 10_000);
  await it.press('Escape');
  assert.equal(await it.page.locator('script:not([src])').count(), 0);
});

review('all problems can be fixed with the keyboard', contacts(12).replace('Germny', 'DE'), async (it) => {
  await it.page.locator('body').press('Alt+ArrowDown');
  await it.page.locator('.ig-cell.is-active.has-error', { hasText: 'exa mple' }).waitFor();
  await it.page.keyboard.type('person3@example.org');
  await it.press('Enter', 'Alt+ArrowDown');
  await it.page.locator('.ig-cell.is-active.has-error', { hasText: 'Archived' }).waitFor();
  await it.press('Enter');
  await it.page.keyboard.type('Inact');
  await it.press('Enter', 'Alt+ArrowDown');
  await it.page.locator('.ig-cell.is-active.has-error', { hasText: 'Absurdistan' }).waitFor();
  await it.page.keyboard.type('Germ');
  await it.press('Enter');
  await it.page.getByText(/rows are ready$/).waitFor();
  await it.waitUntilSaved();
});

test('on a phone, rows are cards, fixed one after another', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const link = await service.review(fields, contacts(60));
  const it = await service.page(link, { viewport: { width: 400, height: 760 }, hasTouch: true });
  // The first row to fix is shown at once.
  await it.page.getByRole('heading', { name: /^Row 3 \(1 of \d+\)/ }).waitFor();
  await it.page.getByRole('button', { name: /Country/ }).click();
  await it.page.getByRole('option', { name: /^Germany/ }).click();
  await it.page.getByText('This row has no problems.').waitFor();
  await it.page.getByRole('button', { name: 'Next row' }).click();
  await it.page.getByRole('textbox', { name: 'E-mail' }).fill('person3@example.org');
  await it.page.getByRole('textbox', { name: 'E-mail' }).press('Enter');
  await it.waitUntilSaved();
  await it.page.getByText('This row has no problems.').waitFor();
  for (const row of [6, 10, 15, 17]) {
    await it.page.getByRole('button', { name: 'Next problem' }).click();
    await it.page.getByRole('heading', { name: new RegExp(`^Row ${row} \\(`) }).waitFor();
  }
  await it.page.getByRole('button', { name: 'Replace Germny with Germany' }).click();
  await it.waitUntilSaved();
  await it.page.getByText('This row has no problems.').waitFor();
  assert.match(await focused(it), /Row 17 \(\d+ of \d+\)$/);
  await it.page.getByRole('button', { name: /problems$/ }).click();
  await it.page.getByRole('heading', { name: /problems in/ }).waitFor();
  assert.deepEqual(it.pageErrors, []);
  await it.close();
});

/** Opens two windows with the same import. */
async function twoWindows(csv: string, more: Parameters<Service['review']>[0] = fields): Promise<[ReviewPage, ReviewPage]> {
  const link = await service!.review(more, csv);
  const size = { viewport: { width: 1600, height: 900 } };
  return [await service!.page(link, size), await service!.page(link, size)];
}

const head = 'Name,E-mail,Country,Born,Status,Newsletter,Revenue,Note';

test('offline changes are listed after somebody else has submitted', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const [here, there] = await twoWindows(`${head}\nA,,DE,,,,,\nB,,Germny,,,,,\nC,,DE,,,,,\n`);
  await there.page.context().setOffline(true);
  await there.type(0, 0, 'Changed');
  await there.page.keyboard.type('half typed');
  await here.page.locator('.c-fix').first().click();
  await here.waitUntilSaved();
  await here.page.locator('.fix-continue').click();
  await here.page.getByRole('button', { name: 'Submit 3 rows' }).click();
  await here.page.getByText('You’re done and can close this page.').waitFor();
  await there.page.context().setOffline(false);
  await there.page.getByText('2 changes from this window are not included').waitFor({ timeout: 20_000 });
  assert.deepEqual(await there.page.locator('.k-note li').allInnerTexts(), ['Data row 1 · Name: Changed', 'Data row 2 · Name: half typed']);
  assert.equal(await there.page.getByText('You’re done and can close this page.').count(), 0);
  await here.close();
  await there.close();
});

test('undoing a change of another window is reported and can be redone', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const [here, there] = await twoWindows(`${head}\nA,,DE,,,,,\nB,,Germny,,,,,\n`);
  await there.type(0, 0, 'Theirs');
  await there.waitUntilSaved();
  await here.cell(0, 0).filter({ hasText: 'Theirs' }).waitFor();
  await here.cell(0, 1).click();
  await here.press('Control+z');
  await here.page.getByText('made in another window').waitFor();
  await here.cell(0, 0).filter({ hasText: /^A$/ }).waitFor();
  await here.page.locator('.c-outcome .c-link', { hasText: 'Redo' }).click();
  await here.cell(0, 0).filter({ hasText: 'Theirs' }).waitFor();
  await here.close();
  await there.close();
});

review('nothing is sent if there is nothing to undo or redo', `${head}\nA,,DE,,,,,\nB,,Germny,,,,,\n`, async (it) => {
  const sent: string[] = [];
  it.page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  await it.cell(0, 0).click();
  await it.press('Control+z');
  await it.page.getByText('Nothing to undo.').waitFor();
  await it.press('Control+y');
  await it.page.getByText('Nothing to redo.').waitFor();
  assert.deepEqual(sent, []);
});

review('a paste beyond the end reports what was changed and what was skipped', 5, async (it) => {
  await it.cell(4, 0).click();
  await it.page.evaluate(() => navigator.clipboard.writeText('P1\tp1@x.org\nP2\tp2@x.org\nP3\tp3@x.org'));
  await it.press('Control+v');
  await it.waitUntilSaved();
  await it.page.locator('.c-outcome').getByText('2 cells changed; 2 rows didn’t fit and were skipped').waitFor();
});

test('multiple choices are shown by their labels, also after a change', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const colors = [{ key: 'name', label: 'Name' }, { key: 'colors', label: 'Colors', type: 'multi-select', selectOptions: [{ label: 'Red', value: 'r' }, { label: 'Blue', value: 'b' }] }];
  const link = await service.review(colors, 'Name,Colors\nA,"Red,Blue"\nB,Redd\nC,Purple\n');
  const it = await service.page(link);
  await it.cell(2, 1).dblclick();
  await it.page.getByRole('option', { name: 'Red' }).click();
  await it.page.getByRole('option', { name: 'Blue' }).click();
  await it.press('Tab');
  await it.waitUntilSaved();
  const text = await it.cell(2, 1).textContent();
  assert.match(text!, /Red, Blue$/);
  await it.cell(2, 1).dblclick();
  assert.match((await it.page.getByRole('combobox', { name: 'Edit Colors' }).getAttribute('placeholder'))!, /Red, Blue$/);
  await it.close();
});

test('a file with only a header is reported, and not as a success', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const link = await service.review(fields, `${head}\n`);
  const it = await service.page(link);
  await it.page.getByText('The file has a header row but no data rows').waitFor();
  assert.equal(await it.page.getByText(/No problems|are ready|No matching rows/).count(), 0);
  await it.page.getByRole('button', { name: 'Add a row' }).click();
  await it.cell(0, 0).waitFor();
  assert.equal(await it.page.getByText('The file has a header row but no data rows').count(), 0);
  await it.close();
});

test('the button of the panel shows the same count as the panel', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const link = await service.review(fields, `${head}\nA,nobody,Germny,,,,,\nB,,Germny,,,,,\n`);
  const it = await service.page(link, { viewport: { width: 640, height: 800 } });
  await it.page.getByRole('button', { name: '3 problems' }).click();
  await it.page.getByRole('heading', { name: '3 problems in 2 rows' }).waitFor();
  await it.close();
});

test('on a phone, "next problem" visits each problem of a row', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const link = await service.review(fields, `${head}\nA,,DE,,,,,\nB,nobody,Germny,1990-13-45,,,,\n`);
  const it = await service.page(link, { viewport: { width: 400, height: 500 } });
  const reaches = (column: string) => it.page.waitForFunction((key) => document.activeElement?.closest<HTMLElement>('[data-column]')?.dataset.column === key, column);
  await it.page.getByRole('button', { name: 'Next problem' }).click();
  await reaches('email');
  await it.press('Alt+ArrowDown');
  await reaches('country');
  await it.page.getByRole('button', { name: 'Next problem' }).click();
  await reaches('born');
  await it.close();
});

review('the search for the next problem reports that the server does not respond', `${head}\nA,,DE,,,,,\nB,nobody,DE,,,,,\n`, async (it, service) => {
  service.wire.cut = true;
  await it.page.getByRole('button', { name: 'Next problem' }).click();
  await it.page.locator('.c-outcome').getByText('The service didn’t respond.').waitFor();
  assert.equal(await it.page.getByText('You’re offline').count(), 0);
  service.wire.cut = false;
});

review('offline downloads and submissions are rejected with a message', `${head}\nA,,DE,,,,,\nB,,Germny,,,,,\n`, async (it) => {
  // The other steps are loaded soon after the cells, so that they work offline.
  await it.page.waitForFunction(() => performance.getEntriesByType('resource').some((one) => /other-steps-.*\.css/.test(one.name)));
  await it.page.context().setOffline(true);
  await it.page.getByRole('button', { name: 'More' }).click();
  await it.page.getByRole('menuitem', { name: /Download all/ }).click();
  await it.page.getByText('Not available while you’re offline.').waitFor();
  await it.page.locator('.fix-continue').click();
  await it.page.getByText('You can’t submit while offline.').waitFor();
  await it.page.context().setOffline(false);
  await it.page.getByRole('heading', { name: '1 row still has errors' }).waitFor({ timeout: 15_000 });
});
