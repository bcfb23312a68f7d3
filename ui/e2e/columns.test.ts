import assert from 'node:assert/strict';
import { after } from 'node:test';
import { closeEnvironment, environmentTest } from './environment';

// A person adds columns to the table of their file.

after(closeEnvironment);

const fields = [
  { key: 'name', label: 'Full name' }, { key: 'zip', label: 'Postal area' }, { key: 'town', label: 'Town' }, { key: 'code', label: 'Code' }, { key: 'month', label: 'Start' },
  { key: 'country', label: 'Country', type: 'country', validators: [{ validate: 'required' }] },
];
const file = 'First,Last,Qzx,Code,Wvu\nAda,Lovelace,12345 London,a-1,03/04/2026\nGrace,,67890 New York,b-2,soon\n';

environmentTest('columns are combined, split, changed and filled with one value', async (environment) => {
  const made = await environment.service.make({ fields, file });
  const person = await environment.person(made);
  const { page } = person;
  await page.locator('.rail-step').nth(1).click();
  const dialog = page.getByRole('dialog');
  const choose = async (label: string, option: string) => {
    await dialog.locator('.k-field').filter({ has: page.getByText(label, { exact: true }) }).getByRole('button').click();
    await page.getByRole('option', { name: option }).click();
  };
  const open = async (kind: string) => {
    await page.getByRole('button', { name: 'Add a column' }).click();
    await choose('What the new column contains', kind);
  };
  const previews = (wanted: string[]) => person.waitForTexts(dialog.locator('.derive-preview td'), wanted);
  const add = async () => {
    await dialog.getByRole('button', { name: 'Add a column' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  await open('Several columns, combined');
  await dialog.getByLabel('First').check();
  await dialog.getByLabel('Last').check();
  await choose('Import as', 'Full name');
  await previews(['Ada Lovelace', 'Grace']);
  await add();

  await open('A part of a column');
  await choose('Column', 'Qzx');
  await previews(['12345', 'London', '67890', 'New York']);
  await choose('Import as (1)', 'Postal area');
  await choose('Import as (2)', 'Town');
  await add();

  await open('A changed copy of a column');
  await choose('Column', 'Code');
  await dialog.getByLabel('Find').fill('-');
  await dialog.getByLabel('Replace with').fill(' / ');
  await choose('Letter case', 'UPPERCASE');
  await previews(['A / 1', 'B / 2']);
  await choose('Import as', 'Code');
  await add();

  await open('A changed copy of a column');
  await choose('Column', 'Wvu');
  await choose('Write dates as', '20260228');
  // The order of the numbers is not guessed.
  assert.ok(await dialog.getByRole('button', { name: 'Add a column' }).isDisabled());
  await choose('How the column writes dates', 'Day, month, year');
  await previews(['20260403', 'soon']);
  await choose('Import as', 'Start');
  await add();

  await open('The same value in all rows');
  await dialog.getByLabel('Value', { exact: true }).fill('Great Britain');
  await choose('Import as', 'Country');
  await add();

  await open('The same value in all rows');
  await dialog.getByLabel('Value', { exact: true }).fill('unneeded');
  await add();
  await page.getByRole('button', { name: 'Remove “unneeded”' }).click();
  await page.getByRole('button', { name: 'Remove “unneeded”' }).waitFor({ state: 'detached' });

  await page.locator('.rail-step', { hasText: 'Fix' }).click();
  await page.getByText('All 2 rows are ready').waitFor();
  await page.locator('.fix-continue').click();
  await person.button('Submit 2 rows').click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  assert.deepEqual(await environment.service.result(made.id), [
    { name: 'Ada Lovelace', zip: '12345', town: 'London', code: 'A / 1', month: '20260403', country: 'GB' },
    { name: 'Grace', zip: '67890', town: 'New York', code: 'B / 2', month: 'soon', country: 'GB' },
  ]);
  await person.closeAndCheck();
});

environmentTest('a person creates a field for a column', async (environment) => {
  const made = await environment.service.make({ fields: [{ key: 'name', label: 'Name', validators: [{ validate: 'required' }] }], settings: { allowCustomFields: true }, file: 'Name,Fax,Notes\nAda,1,x\n,2,y\n' });
  const person = await environment.person(made);
  const { page } = person;
  const field = (header: string) => page.locator('.column-line', { has: page.locator('.column-header', { hasText: header }) }).locator('.k-select');
  await page.locator('.rail-step', { hasText: 'Columns' }).click();
  for (const header of ['Fax', 'Notes']) {
    await field(header).click();
    await page.getByRole('option', { name: `New field: ${header}` }).click();
  }
  await page.getByRole('button', { name: 'Change 2 columns and read again' }).click();
  await page.locator('.ig-head-cell', { hasText: 'Notes' }).waitFor();
  await page.locator('.rail-step', { hasText: 'Columns' }).click();
  await field('Notes').click();
  await page.getByRole('option', { name: 'Not imported' }).click();
  await page.getByRole('button', { name: 'Change 1 column and read again' }).click();
  await page.locator('.ig-head-cell', { hasText: 'Notes' }).waitFor({ state: 'detached' });
  await person.type(1, 0, 'Grace');
  await page.getByText('All 2 rows are ready').waitFor();
  await page.locator('.fix-continue').click();
  await person.button('Submit 2 rows').click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  assert.deepEqual(await environment.service.result(made.id), [{ name: 'Ada', Fax: '1' }, { name: 'Grace', Fax: '2' }]);
  await person.closeAndCheck();
});
