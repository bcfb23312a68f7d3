import assert from 'node:assert/strict';
import { after } from 'node:test';
import { contacts, fields } from './contacts';
import { closeEnvironment, environmentTest } from './environment';
import type { Person } from './person';

// A person sorts rows, hides columns and shows the rows with one value.

after(closeEnvironment);

const header = ({ page }: Person, label: string) => page.locator('.ig-head-cell', { hasText: label });
const choose = async (person: Person, column: string, item: string) => {
  await header(person, column).hover();
  await header(person, column).locator('.ig-menu-button').click();
  await person.page.getByRole('menuitem', { name: item }).click();
};
const column = ({ page }: Person, col: number) => page.locator(`.ig-body .ig-row:not(.is-waiting) .ig-cell[aria-colindex="${col + 2}"]`).allInnerTexts();

environmentTest('rows are sorted, and edits stay in their place', async (environment) => {
  const person = await environment.person(await environment.service.make({ fields, file: contacts(500) }));
  const { page } = person;
  await choose(person, 'Revenue', 'Sort descending');
  await person.cell(0, 5).filter({ hasText: '124.75' }).waitFor();
  assert.equal(await header(person, 'Revenue').getAttribute('aria-sort'), 'descending');
  assert.deepEqual((await column(person, 5)).slice(0, 3), ['124.75', '124.5', '124.25']);
  await person.type(1, 0, 'Aaron');
  await person.waitUntilSaved();
  await choose(person, 'Name', 'Sort ascending');
  await person.cell(0, 0).filter({ hasText: 'Aaron' }).waitFor();
  assert.equal(await header(person, 'Revenue').getAttribute('aria-sort'), null);
  assert.equal(await person.cell(0, 5).innerText(), '124.5');
  // A filter keeps the order, and problems follow it.
  await page.locator('.k-tab', { hasText: 'Problems' }).click();
  await page.locator('.ig-row[aria-rowindex="2"] .has-error').first().waitFor();
  const names = await column(person, 0);
  assert.deepEqual(names, [...names].sort((a, b) => (a.toUpperCase() < b.toUpperCase() ? -1 : a.toUpperCase() > b.toUpperCase() ? 1 : 0)));
  await choose(person, 'Name', 'Original order');
  await page.locator('.k-tab', { hasText: 'All' }).click();
  await person.cell(0, 1).filter({ hasText: 'p0@example.org' }).waitFor();
  await person.closeAndCheck();
});

environmentTest('columns are hidden, and rows with one value are shown', async (environment) => {
  const person = await environment.person(await environment.service.make({ fields, file: contacts(100) }));
  const { page } = person;
  for (const label of ['Born', 'Status']) await choose(person, label, 'Hide column');
  await header(person, 'Born').waitFor({ state: 'detached' });
  await page.getByText('Hidden columns: 2').waitFor();
  assert.equal(await person.cell(0, 3).innerText(), '0', 'the revenue follows the country');
  await person.type(0, 3, '7');
  await person.waitUntilSaved();
  await page.getByRole('button', { name: 'Show all' }).click();
  await header(person, 'Born').waitFor();
  assert.equal(await person.cell(0, 5).innerText(), '7');
  await person.cell(0, 2).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Show rows with this value' }).click();
  await person.cell(1, 1).filter({ hasText: 'p4@example.org' }).waitFor();
  assert.deepEqual([...new Set(await column(person, 2))], ['Germany']);
  await page.getByRole('button', { name: 'Clear search' }).click();
  await person.cell(1, 5).filter({ hasText: '0.25' }).waitFor();
  await person.cell(4, 5).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Show rows with this value' }).click();
  await person.cell(1, 5).waitFor({ state: 'detached' });
  await person.cell(0, 1).filter({ hasText: 'p4@example.org' }).waitFor();
  assert.deepEqual(await column(person, 5), ['1'], 'no other numbers with this digit');
  await person.closeAndCheck();
});
