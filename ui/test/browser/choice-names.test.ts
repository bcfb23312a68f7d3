import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fields } from './cells-rows';
import { Service, type Field, type ReviewPage } from './cells-service';

/** Countries by code and by name, and an invalid country. */
const csv = 'Name,E-mail,Country\nAnna,a@example.org,DE\nBo,b@example.org,Germany\nCleo,c@example.org,FR\nDan,d@example.org,Germny\n';

let service: Service | null;
before(async () => void (service = await Service.open()));
after(() => service?.close());

function review(name: string, language: string, act: (page: ReviewPage, link: string) => Promise<void>, given: readonly Field[] = fields.slice(0, 3)): void {
  test(name, async (context) => {
    if (!service) return context.skip('there is neither the program nor Go to build it');
    const link = await service.review(given, csv);
    const page = await service.page(link, { viewport: { width: 1600, height: 900 }, query: `?lang=${language}` });
    await act(page, link);
    assert.deepEqual(page.pageErrors, []);
    await page.close();
  });
}

const countries = ({ page }: ReviewPage) => page.locator('.ig-body .ig-row:not(.is-waiting) .ig-cell[aria-colindex="4"]');

/** Searches, and waits until the table shows exactly the given countries. */
async function search(it: ReviewPage, text: string, ...wanted: string[]): Promise<void> {
  await it.page.locator('.c-sought input').fill(text);
  await waitForCountries(it, ...wanted);
}

async function waitForCountries(it: ReviewPage, ...wanted: string[]): Promise<void> {
  for (let tries = 0; tries < 100 && (await countries(it).allTextContents()).join() !== wanted.join(); tries++) await it.page.waitForTimeout(50);
  assert.deepEqual(await countries(it).allTextContents(), wanted);
  assert.equal(await it.page.locator('.ig-row.is-past').count(), 0);
}

for (const [language, germany, france] of [['en', 'Germany', 'France'], ['de', 'Deutschland', 'Frankreich']] as const) {
  review(`displayed names are found and replaced: ${language}`, language, async (it) => {
    await waitForCountries(it, germany, 'Germany', france, 'Germny');
    await search(it, germany.slice(0, 6), ...(language === 'en' ? [germany, germany] : [germany]));
    await search(it, 'FR', france);
    await search(it, '', germany, 'Germany', france, 'Germny');
    await it.press('Control+h');
    await it.page.locator('.c-replace input').first().fill(germany);
    await it.page.locator('.c-replace input').nth(1).fill(france);
    await it.page.locator('dialog .k-primary:enabled').click();
    await waitForCountries(it, france, language === 'en' ? france : 'Germany', france, 'Germny');
  });
}

/** With a unique country field, the panel lists duplicates. */
const unique = fields.slice(0, 3).map((one) => (one.key === 'country' ? { ...one, validators: [{ validate: 'unique' }] } : one));

for (const [language, germany, france] of [['en', 'Germany', 'France'], ['de', 'Deutschland', 'Frankreich']] as const) {
  review(`values are listed and previewed by their displayed names: ${language}`, language, async (it) => {
    const { page } = it;
    const texts = (selector: string) => page.locator(selector).allTextContents();
    const values = page.locator('.c-value-text', { hasText: germany });
    await values.first().waitFor();
    assert.deepEqual((await texts('.c-value-text')).sort(), [`${germany} DE`, 'Germany'].sort());
    await page.locator('.c-group.is-open .c-group-actions button').last().click();
    await page.locator('.c-line').first().waitFor();
    assert.deepEqual((await texts('.c-line-text')).sort(), [`${germany} DE`, 'Germany', 'Germny', `${france} FR`].sort());
    const sought = page.locator('.c-fixer input').first();
    await sought.fill('DE');
    await page.locator('.c-line').nth(1).waitFor({ state: 'detached' });
    await sought.fill(germany);
    const line = page.locator('.c-line', { hasText: 'DE' });
    await line.locator('.k-select').click();
    await page.getByRole('option', { name: new RegExp(`^${france}`) }).click();
    await page.locator('.c-samples td').first().waitFor();
    assert.deepEqual((await texts('.c-samples td')).slice(2), [`${germany} DE`, `${france} FR`]);
    await page.locator('dialog .k-primary:enabled').click();
    await waitForCountries(it, france, 'Germany', france, 'Germny');
  }, unique);
}

review('conflicts with an uploaded file are shown by displayed names', 'en', async (it) => {
  const { page } = it;
  await it.type(0, 2, 'Italy');
  await it.waitUntilSaved();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /Upload/ }).click();
  await page.locator('.c-drop input').setInputFiles({ name: 'fixed.csv', mimeType: 'text/csv', buffer: Buffer.from('Row,Country\n0v0,PL\n') });
  const conflict = page.getByRole('region', { name: 'Changed both in the file and on this page' });
  await conflict.waitFor();
  assert.deepEqual(await conflict.locator('td').allTextContents(), ['1', 'Country', 'Italy IT', 'Poland PL']);
});

review('both choices of a conflict are shown by displayed names', 'en', async (it, link) => {
  const other = await service!.page(link);
  await it.cell(0, 2).dblclick();
  await it.press('Control+a');
  await it.page.keyboard.type('Italy');
  await other.type(0, 2, 'Poland');
  await other.waitUntilSaved();
  await it.press('Enter');
  await it.page.locator('.c-conflicts').waitFor();
  assert.deepEqual(await it.page.locator('.c-conflict-text bdi').allTextContents(), ['Poland', 'PL', 'Italy', 'IT']);
  // The browser logs the error response.
  assert.match(it.pageErrors.pop()!, /409 \(Conflict\)/);
  await other.close();
});

review('on a phone, a read-only choice is shown by its name', 'en', async ({ page }) => {
  await page.setViewportSize({ width: 400, height: 760 });
  await page.locator('.c-card-text').waitFor();
  assert.equal(await page.locator('.c-card-text').textContent(), 'Germany');
}, fields.slice(0, 3).map((one) => (one.key === 'country' ? { ...one, readOnly: true } : one)));

test('the value that a hook sets is shown next to the text, also after an edit', async (context) => {
  if (!service) return context.skip('there is neither the program nor Go to build it');
  const hooks = { rowHooks: ['(record) => ({ row: { name: { value: record.row.name.value.toUpperCase() } } })'] };
  const page = await service.page(await service.review(fields.slice(0, 3), csv.replace('Bo,', 'BO,'), {}, hooks));
  const cell = (row: number, wanted: string) => page.cell(row, 0).filter({ hasText: new RegExp(`^${wanted}$`) }).waitFor();
  await cell(0, 'Anna → ANNA');
  await cell(1, 'BO');
  await page.type(1, 0, 'eve');
  await page.waitUntilSaved();
  await cell(1, 'eve → EVE');
  assert.deepEqual(page.pageErrors, []);
  await page.close();
});
