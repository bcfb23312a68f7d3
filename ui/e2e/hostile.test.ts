import assert from 'node:assert/strict';
import { after } from 'node:test';
import { visibleText } from '../grid/visible-text';
import { line, naughtyStrings, odd, scripts } from './hostile';
import type { Person } from './person';
import { closeEnvironment, environmentTest } from './environment';
import { workbook } from './states';

after(closeEnvironment);

/**
 * Scripts as labels, choices, and names of the file and the import. They differ from the
 * cells, because Intray detects a header only if it differs from the rows.
 */
const [first, second, third, fourth] = scripts.map((text) => `${text} as a name`) as unknown as readonly [string, string, string, string];
const fields = [
  { key: 'text', label: first },
  { key: 'choice', label: second, type: 'select', selectOptions: [{ label: third, value: 'one' }, { label: fourth, value: 'two' }] },
];

environmentTest('scripts in cells, headers, labels, choices and names are shown as text and do not run', async (environment) => {
  const all = [...odd, ...scripts];
  const rows = all.map((text, n) => line([text, n < odd.length ? 'one' : text]));
  const made = await environment.service.make({ fields, filename: `${third}.csv`, settings: { title: fourth }, file: line([first, second]) + rows.join('') });
  const person = await environment.person(made);
  assert.deepEqual(await texts(person, all.length), all.map(visibleText));
  const heads = person.page.locator('.ig-head [role=columnheader]');
  assert.deepEqual((await heads.allTextContents()).filter((text) => text.includes('window.x')).length, 2);
  assert.equal(await person.page.locator('.bar-title').textContent(), fourth);
  await openEverything(person);
  await assertNoScriptRan(person);
});

environmentTest('scripts in sheet names and questions do not run', async (environment) => {
  const sheets = [third, fourth].map((name) => name.replaceAll(/[\[\]*?:/\\]/g, '').slice(0, 31));
  const contacts = [{ key: 'name', label: 'Name' }, { key: 'email', label: 'E-mail' }];
  const made = await environment.service.make({ fields: contacts, filename: 'x.xml', file: workbook(sheets) });
  const person = await environment.person(made);
  const choices = person.page.locator('.top .k-tab');
  await choices.first().waitFor();
  for (const name of sheets) assert.ok((await choices.allTextContents()).some((text) => text.includes(name)), name);
  await assertNoScriptRan(person);
});

environmentTest('scripts in columns with the same name and next to ambiguous dates do not run', async (environment) => {
  const asked = [{ key: 'text', label: first, requireMapping: true }, { key: 'born', label: second, type: 'date' }];
  const rows = Array.from({ length: 20 }, (_, n) => line([scripts[n]!, scripts[n + 1]!, `0${1 + (n % 9)}/0${1 + ((n * 5) % 9)}/1990`]));
  const made = await environment.service.make({ fields: asked, file: line([first, first, second]) + rows.join('') });
  const person = await environment.person(made);
  await person.page.locator('.card').first().waitFor();
  assert.ok((await person.page.locator('.example').allTextContents()).some((text) => text.includes('window.x')));
  await assertNoScriptRan(person);
});

environmentTest('strings that are hard to display are shown as text', async (environment, context) => {
  const corpus = naughtyStrings();
  if (!corpus) return context.skip('the Big List of Naughty Strings is not available');
  const rows = corpus.map((text) => line(['x', text]));
  const made = await environment.service.make({
    fields: [{ key: 'first', label: 'First', type: 'number' }, { key: 'text', label: 'Text' }], file: line(['First', 'Text']) + rows.join(''),
  });
  const person = await environment.person(made);
  const shownTexts = await texts(person, corpus.length, 1);
  for (const [at, text] of corpus.entries()) assert.equal(shownTexts[at], visibleText(text), `row ${at + 1}`);
  await assertNoScriptRan(person);
});

/** Returns the text of each cell in a column, from the first row to the last. */
async function texts(person: Person, rows: number, col = 0): Promise<readonly string[]> {
  const seen = new Map<number, string>();
  await person.page.locator('.ig-body').hover();
  for (let turns = 0; seen.size < rows; turns++) {
    assert.ok(turns < 400, `only ${seen.size} of ${rows} rows come into view`);
    const now = await person.page.evaluate((place) => [...document.querySelectorAll(`.ig-body .ig-row:not(.is-waiting) .ig-cell[aria-colindex="${place}"]`)]
      .map((cell) => [Number(cell.closest('[aria-rowindex]')!.getAttribute('aria-rowindex')) - 2, cell.querySelector('.ig-text')!.textContent ?? ''] as const), col + 2);
    for (const [row, text] of now) if (row >= 0 && row < rows) seen.set(row, text);
    await person.page.mouse.wheel(0, 300);
    await person.page.waitForTimeout(30);
  }
  return Array.from({ length: rows }, (_, row) => seen.get(row)!);
}

/** Opens every element that shows names or raw text. */
async function openEverything(person: Person): Promise<void> {
  const { page } = person;
  await page.locator('.c-value-text').first().waitFor();
  assert.ok((await page.locator('.c-value-text').allTextContents()).every((text) => scripts.map(visibleText).includes(text)));
  await page.locator('.c-choose, .c-other').first().click();
  await page.locator('.c-chooser .k-option-label').first().waitFor();
  assert.deepEqual(await page.locator('.c-chooser .k-option-label').allTextContents(), [third, fourth]);
  await person.press('Escape');
  await page.locator('.c-group-actions .k-button:not(.c-delete)').last().click();
  await page.locator('.c-line').first().waitFor();
  await person.press('Escape', 'Control+h');
  await page.locator('.c-replace input').first().fill('window.x');
  await page.locator('.c-samples').waitFor();
  await person.press('Escape', 'Control+f');
  await page.keyboard.type('<script');
  await page.locator('.ig-row').first().waitFor();
  await person.press('Escape');
  await page.locator('.c-group-head').first().click();
  await page.locator('.c-chip').waitFor();
  await person.press('Alt+ArrowDown');
  await page.locator('.rail-step').nth(1).click();
  await page.locator('.column-line').first().waitFor();
  await page.locator('.column-line .k-select').first().click();
  await person.press('Escape');
  await page.locator('.rail-step').first().click();
  await page.locator('.top-table').waitFor();
  await page.locator('.rail-step').last().click();
  await page.locator('.confirm-counts').waitFor();
}

async function assertNoScriptRan(person: Person): Promise<void> {
  assert.equal(await person.page.evaluate(() => (window as unknown as { x?: unknown }).x), undefined);
  assert.equal(await person.page.locator('script:not([src]), iframe, object, base, img, a[href^="javascript"]').count(), 0);
  await person.closeAndCheck();
}
