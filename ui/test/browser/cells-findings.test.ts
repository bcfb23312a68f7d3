import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contacts, fields } from './cells-rows';
import { Service, type Field, type ReviewPage } from './cells-service';

/**
 * Regression tests for the findings of the usability review, in a real browser with the real
 * server. Each test is named after its finding.
 */
let service: Service | null = null;
before(async () => void (service = await Service.open()));
after(async () => service?.close());

interface Options {
  readonly fields?: readonly Field[];
  readonly settings?: object;
  readonly size?: { width: number; height: number };
  readonly query?: string;
}

/** Adds a test with an import of its own. */
function finding(name: string, csv: string, act: (it: ReviewPage) => Promise<void>, options: Options = {}): void {
  test(`finding ${name}`, async (context) => {
    if (!service) return context.skip('there is neither the program nor Go to build it');
    const link = await service.review(options.fields ?? fields, csv, options.settings);
    const it = await service.page(link, { viewport: options.size ?? { width: 1600, height: 900 }, query: options.query ?? '' });
    await act(it);
    assert.deepEqual(it.pageErrors.filter((one) => !/Failed to load resource/.test(one)), []);
    await it.close();
  });
}

const head = 'Name,E-mail,Country,Born,Status,Newsletter,Revenue,Note';
const active = ({ page }: ReviewPage) => page.locator('.ig-cell.is-active');

finding('B9: after the last problem of a group is fixed, page and grid show the next group', `${head}\nA,a@b.org,Germny,,,,,\nB,nobody,DE,,,,,\nC,c@b.org,Germny,,,,,\nD,d@b.org,DE,,Archived,,,\n`, async (it) => {
  await it.group('Country').locator('.c-group-head').click();
  await it.group('Country').locator('.c-fix').click();
  await it.group('E-mail').and(it.page.locator('.is-open.is-shown')).waitFor();
  await it.page.locator('.ig-cell.is-active', { hasText: 'nobody' }).waitFor();
  assert.equal(await it.page.getByText('no longer match').count(), 0);
  assert.match((await it.page.evaluate(() => document.activeElement!.className)), /c-group-head/, 'the focus stays in the panel');
  // A click that arrives just after the page has moved on must not close the group.
  await it.group('E-mail').locator('.c-group-head').click();
  await it.page.waitForFunction(() => document.activeElement?.closest('.ig-scroller') != null);
  await it.group('E-mail').and(it.page.locator('.is-open.is-shown')).waitFor();
  // Deleting the only row of a group must not leave an empty table.
  await it.group('E-mail').getByRole('button', { name: 'Delete the row' }).click();
  await it.group('Status').and(it.page.locator('.is-open.is-shown')).waitFor();
  await it.page.locator('.ig-cell.is-active', { hasText: 'Archived' }).waitFor();
  await active(it).dblclick();
  await it.page.keyboard.type('Inact');
  await it.press('Enter');
  await it.page.getByText('All 3 rows are ready').waitFor();
  await it.page.getByRole('tab', { name: 'All', selected: true }).waitFor();
  assert.equal(await it.page.locator('.ig-body .ig-row').count(), 3);
  await it.page.locator('.fix-continue.k-primary').click();
  await it.page.getByRole('button', { name: 'Submit 3 rows' }).waitFor();
});

finding('B9: the table does not change while a cell is being edited', `${head}\nA,a@b.org,Germny,,,,,\nB,nobody,DE,,,,,\nC,c@b.org,Absurdistan,,,,,\n`, async (it) => {
  await it.group('Country').locator('.c-group-head').click();
  await it.page.locator('.ig-cell.is-active', { hasText: 'Germny' }).waitFor();
  // The second change arrives while the name is being edited.
  await it.group('Country').locator('.c-fix').first().click();
  await it.group('Country').locator('.c-value').nth(1).waitFor({ state: 'detached' });
  await it.cell(1, 2).dblclick();
  await it.page.keyboard.type('Poland');
  await it.press('Enter', 'ArrowLeft', 'ArrowLeft');
  await it.page.keyboard.type('Cecil');
  await it.group('Country').waitFor({ state: 'detached' });
  await it.page.getByText('2 rows no longer match').waitFor();
  await it.press('Enter');
  await it.page.locator('.ig-cell.is-active', { hasText: 'nobody' }).waitFor();
  await it.page.getByRole('tab', { name: 'All' }).click();
  await it.cell(2, 0).filter({ hasText: 'Cecil' }).waitFor();
});

finding('B9: notes do not hide that all rows are ready, and offer no destructive actions', `${head}\nA,a@b.org,DE,,Activ,,,\nB,nobody,DE,,,,,\n`, async (it) => {
  await it.group('Status').waitFor();
  await it.type(1, 1, 'b@b.org');
  await it.page.getByText('All 2 rows are ready').waitFor();
  assert.equal(await it.page.locator('.c-group.is-open').count(), 0);
  await it.group('Status').locator('.c-group-head').click();
  await it.group('Status').getByRole('button', { name: 'All values…' }).waitFor();
  assert.equal(await it.group('Status').getByRole('button', { name: /Clear|Delete/ }).count(), 0);
});

finding('B9: an empty view offers the way out', contacts(50), async (it) => {
  await it.press('Control+f');
  await it.page.keyboard.type('no such text');
  await it.page.getByText('No matching rows.').waitFor();
  await it.page.getByRole('button', { name: /^Show \d+ rows with problems$/ }).waitFor();
  await it.page.getByRole('button', { name: 'Show all 50 rows' }).click();
  await it.cell(0, 0).waitFor();
  assert.equal(await it.page.getByText('No matching rows.').count(), 0);
});

const ids: readonly Field[] = [
  { key: 'id', label: 'Contact ID', validators: [{ validate: 'required' }, { validate: 'unique' }] },
  { key: 'name', label: 'Name' },
];

finding('B4: duplicates of a required field can be shown and deleted, but not cleared', 'Contact ID,Name\n1,Anna\n2,Ben\n1,Anna\n3,Carla\n1,Anna B.\n', async (it) => {
  const group = it.group('Contact ID');
  assert.equal(await group.getByRole('button', { name: /Clear|Delete/ }).count(), 0);
  await group.getByRole('button', { name: 'Show 3 rows' }).click();
  await it.page.waitForFunction(() => document.querySelectorAll('.ig-body .ig-row').length === 3);
  await group.getByRole('button', { name: 'Keep the first of each' }).click();
  const dialog = it.page.getByRole('dialog', { name: 'Keep the first of each' });
  await dialog.getByText('Deletes 2 rows.').waitFor();
  await dialog.getByText('1 of these rows differs in other columns').waitFor();
  assert.deepEqual(await dialog.locator('tbody td:first-child').allTextContents(), ['3', '5']);
  await dialog.getByRole('button', { name: 'Delete 2 rows' }).click();
  await it.page.getByText('All 3 rows are ready').waitFor();
  assert.deepEqual(await it.page.locator('.ig-body .ig-cell[aria-colindex="3"]').allTextContents(), ['Anna', 'Ben', 'Carla']);
}, { fields: ids });

const options: readonly Field[] = [{ key: 'n', label: 'N' }, { key: 's', label: 'Status', type: 'select', selectOptions: [{ label: 'Red', value: 'r' }], validators: [{ validate: 'required' }] }];

finding('B4: a required choice cannot be emptied', 'N,Status\nA,x\nB,Red\n', async (it) => {
  await it.cell(0, 1).dblclick();
  await it.page.getByRole('option', { name: 'Red' }).waitFor();
  assert.equal(await it.page.getByRole('option', { name: 'Leave empty' }).count(), 0);
}, { fields: options });

finding('B11: deleting several rows shows a preview first', contacts(100), async (it) => {
  const group = it.group('E-mail');
  await group.locator('.c-group-head').click();
  const button = group.getByRole('button', { name: 'Delete 9 rows' });
  await button.click();
  const dialog = it.page.getByRole('dialog', { name: 'Delete 9 rows' });
  await dialog.getByText('Deletes 9 rows.').waitFor();
  await dialog.getByText('and 4 more rows').waitFor();
  assert.deepEqual(await dialog.locator('tbody tr:first-child td').allTextContents(), ['4', 'Łukasz O’Neill', 'person3@exa mple.org', 'Italy']);
  await it.press('Escape');
  assert.equal(await it.count('All'), 100);
  await button.click();
  await dialog.getByRole('button', { name: 'Delete 9 rows' }).click();
  await it.waitForCount('All', 91);
  await it.page.locator('.c-outcome .c-link').click();
  await it.waitForCount('All', 100);
  // A selection of several rows is previewed, too.
  await it.page.getByRole('tab', { name: 'All' }).click();
  await it.cell(1, 0).click();
  await it.cell(2, 0).click({ modifiers: ['Shift'] });
  await it.press('ContextMenu');
  await it.page.getByRole('menuitem', { name: 'Delete 2 rows' }).click();
  const chosen = it.page.getByRole('dialog', { name: 'Delete 2 rows' });
  await chosen.getByText('Deletes 2 rows.').waitFor();
  assert.deepEqual(await chosen.locator('tbody td:first-child').allTextContents(), ['2', '3']);
  await chosen.getByRole('button', { name: 'Delete 2 rows' }).click();
  await it.waitForCount('All', 98);
});

finding('B22: "next problem" counts every press and continues from the top', `${head}\n${'A,a@b.org,DE,,,,,\nB,nobody,Germny,,,,,\n'.repeat(4)}`, async (it) => {
  const at = (row: number, col: number) => it.cell(row, col).and(active(it)).waitFor();
  await it.cell(0, 0).click();
  // The presses are dispatched at once, so that all of them arrive during the first search.
  const press = (key: string, n: number) => it.page.evaluate(([key, n]) => {
    for (let i = 0; i < n; i++) document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, altKey: true, bubbles: true, cancelable: true }));
  }, [key, n] as const);
  await press('ArrowDown', 5);
  await at(5, 1);
  await press('ArrowDown', 3);
  await at(7, 2);
  await it.press('Alt+ArrowDown');
  await at(1, 1);
  await it.page.locator('.c-outcome').getByText('Continued from the top.').waitFor();
  await it.press('Alt+ArrowUp');
  await at(7, 2);
  await it.page.locator('.c-outcome').getByText('Continued from the bottom.').waitFor();
});

const many: readonly Field[] = [...fields, { key: 'city', label: 'City' }, { key: 'work', label: 'Work e-mail', type: 'email' }];
const manyHead = `${head},City,Work e-mail`;

finding('B17: the first column stays visible next to a problem at the end of the row', `${manyHead}\n${'Anna Weiß,a@b.org,DE,,,,,,Berlin,a@b.org\n'.repeat(3)}Zoë Martín,a@b.org,DE,,,,,,Berlin,nobody\n`, async (it) => {
  await it.group('Work e-mail').locator('.c-group-head').click();
  await it.page.locator('.ig-cell.is-active', { hasText: 'nobody' }).waitFor();
  const name = (await it.cell(0, 0).boundingBox())!;
  const problem = (await it.cell(0, 9).boundingBox())!;
  assert.equal(await it.cell(0, 0).textContent(), 'Zoë Martín');
  assert.ok(name.x >= 0 && name.x + name.width <= problem.x, 'beside each other');
  assert.ok(await it.page.locator('.ig-scroller').evaluate((scroller) => scroller.scrollLeft > 0), 'the table is scrolled');
}, { fields: many, size: { width: 1000, height: 600 } });

/** Runs in the page. Returns the elements that overlap the first one that matches. */
const overlaps = (it: ReviewPage, what: string, others: string) => it.page.evaluate(([what, others]) => {
  const a = document.querySelector(what)!.getBoundingClientRect();
  return [...document.querySelectorAll(others)].filter((one) => {
    const b = one.getBoundingClientRect();
    return a.left < b.right - 1 && a.right > b.left + 1 && a.top < b.bottom - 1 && a.bottom > b.top + 1;
  }).map((one) => one.textContent);
}, [what, others] as const);
const problemCells = '.ig-body .ig-cell:is(.has-error, .has-warning)';

for (const query of ['', '?lang=ar']) {
  finding(`B18: the message covers no other problem, and stays while the cell is edited ${query}`, `${head}\n${'Anna,nobody,DE,,,,,\n'.repeat(12)}`, async (it) => {
    const tip = it.page.locator('.ig-note');
    for (const row of [0, 5, 11]) {
      await it.cell(row, 1).click();
      await tip.waitFor();
      assert.deepEqual(await overlaps(it, '.ig-note', problemCells), [], `row ${row + 1}`);
    }
    await it.press('F2');
    await it.page.locator('.ig-editor').waitFor();
    await it.page.keyboard.type(' and a rather long text');
    await tip.waitFor();
    assert.deepEqual(await overlaps(it, '.ig-note', '.ig-editor'), []);
    await it.press('Escape');
    await tip.waitFor();
  }, { query });
}

finding('B18: the message stays next to an open list of options', `${head}\n${'Anna,,Germny,,,,,\n'.repeat(12)}`, async (it) => {
  await it.cell(4, 2).dblclick();
  await it.page.locator('.ig-list-box').waitFor();
  await it.page.locator('.ig-note').waitFor();
  assert.deepEqual(await overlaps(it, '.ig-note', '.ig-list-box, .ig-editor'), []);
});

for (const query of ['', '?lang=ar']) {
  finding(`B18: the editor at the end of a row stays inside the table ${query}`, `${manyHead}\nAnna,,DE,,,,,,Berlin,${'x'.repeat(90)}\n`, async (it) => {
    await it.cell(0, 0).click();
    await it.press(query ? 'Control+ArrowLeft' : 'Control+ArrowRight', 'F2');
    const editor = it.page.locator('.ig-editor');
    await editor.waitFor();
    const [box, table] = [(await editor.boundingBox())!, (await it.page.locator('.ig-scroller').boundingBox())!];
    assert.ok(box.x >= table.x && box.x + box.width <= table.x + table.width + 1, `${JSON.stringify(box)} in ${JSON.stringify(table)}`);
  }, { fields: many, query, size: { width: 1280, height: 600 } });
}

finding('B19: values with a problem are not cut off by the marker', contacts(300), async (it) => {
  const cut = () => it.page.evaluate((cells) => [...document.querySelectorAll(`${cells} .ig-text`)].filter((text) => text.scrollWidth > text.clientWidth).map((text) => text.textContent), problemCells);
  assert.deepEqual(await cut(), []);
  await it.group('E-mail').locator('.c-group-head').click();
  await it.page.locator('.ig-cell.is-active', { hasText: 'exa mple' }).waitFor();
  await it.press('Control+ArrowDown');
  await it.page.locator('.ig-cell.is-active', { hasText: 'person289' }).waitFor();
  assert.deepEqual(await cut(), []);
});

finding('B10: without rows, submitting is not the obvious thing to do', `${head}\n`, async (it) => {
  const onward = it.page.locator('.fix-continue');
  assert.doesNotMatch((await onward.getAttribute('class'))!, /k-primary/);
  await onward.click();
  await it.page.getByText('Add rows first, or finish this import without any.').waitFor();
  assert.doesNotMatch((await it.page.getByRole('button', { name: 'Finish without rows' }).getAttribute('class'))!, /k-primary/);
  await it.page.getByRole('button', { name: 'Back' }).click();
  await it.page.getByRole('button', { name: 'Add a row' }).click();
  await it.page.getByRole('heading', { name: '1 of 1 row needs attention' }).waitFor();
});

finding('B23: the status bar shows the row, its position in the view, and its line in the file', `Customers\nAs of today\n${head}\nA,a@b.org,DE,,,,,\n"B\nb",a@b.org,DE,,,,,\nC,nobody,DE,,,,,\n`, async (it) => {
  const place = it.page.locator('.c-turn', { hasText: 'line' });
  await it.cell(1, 0).click();
  assert.equal(await place.innerText().then((text) => text.replace(/\s+/g, ' ')), 'Row 2 of 3 line 5 of the file');
  await it.group('E-mail').locator('.c-group-head').click();
  await place.filter({ hasText: 'Row 3 (1 of 1)' }).waitFor();
  assert.match(await place.innerText(), /line 7 of the file$/);
});
