import assert from 'node:assert/strict';
import { after } from 'node:test';
import { closeEnvironment, environmentTest } from './environment';
import type { Person } from './person';

// A person matches values that match no option of their field.

after(closeEnvironment);

const fields = [
  { key: 'name', label: 'Name' }, { key: 'country', label: 'Country', type: 'country' },
  { key: 'plan', label: 'Plan', type: 'select', selectOptions: [{ label: 'Basic', value: 'b' }, { label: 'Premium', value: 'p' }], validators: [{ validate: 'required' }] },
];
const order = {
  fields, settings: { importIdentifier: 'values', invalidDataBehavior: 'BLOCK_SUBMIT' },
  file: 'Name,Country,Plan\nA,Germny,Gold\nB,Absurdistan,Basic\nC,Germny,Gold\nD,FR,Silver\n',
};
const line = ({ page }: Person, value: string) => page.locator('.c-line').filter({ has: page.getByText(value, { exact: true }) });
const choose = async (person: Person, value: string, option: string) => {
  await line(person, value).locator('.k-select').click();
  await person.page.getByRole('option').filter({ has: person.page.getByText(option, { exact: true }) }).click();
};
const submit = async (person: Person, rows: string) => {
  await person.page.getByText('All 4 rows are ready').waitFor();
  await person.page.locator('.fix-continue').click();
  await person.button(rows).click();
  await person.page.getByRole('heading', { name: 'Import complete' }).waitFor();
};

environmentTest('values are matched before the cells, and later imports know them', async (environment) => {
  const made = await environment.service.make(order);
  const person = await environment.person(made, { matches: true });
  const { page } = person;
  await page.getByRole('heading', { name: 'Match the values' }).waitFor();
  await person.waitForTexts(page.locator('.column-group h2'), ['Country 2', 'Plan 2']);
  await line(person, 'Germny').getByRole('button', { name: 'Use' }).click();
  await choose(person, 'Absurdistan', 'Austria');
  await choose(person, 'Gold', 'Premium');
  await page.getByRole('button', { name: 'Apply and continue' }).click();
  await page.getByText('1 of 4 rows needs attention').waitFor();

  // What was decided can be changed.
  await page.locator('.rail-step', { hasText: 'Values' }).click();
  await person.waitForTexts(page.locator('.decided li'), ['Country: Absurdistan Austria Change', 'Country: Germny Germany Change', 'Plan: Gold Premium Change']);
  await choose(person, 'Silver', 'Basic');
  await page.getByRole('button', { name: 'Apply and continue' }).click();
  await submit(person, 'Submit 4 rows');
  await person.closeAndCheck();

  const later = await environment.service.make(order);
  assert.equal(later.status, 'SUCCESSFUL', 'the matches were not learned');
  for (const { id } of [made, later]) {
    assert.deepEqual(await environment.service.result(id), [
      { name: 'A', country: 'DE', plan: 'p' }, { name: 'B', country: 'AT', plan: 'b' }, { name: 'C', country: 'DE', plan: 'p' }, { name: 'D', country: 'FR', plan: 'b' },
    ]);
  }
});

environmentTest('the step is skipped, and matching afterwards warns that changes are lost', async (environment) => {
  const made = await environment.service.make({ ...order, settings: {} });
  const person = await environment.person(made, { matches: true });
  const { page } = person;
  await page.locator('main.values').getByRole('button', { name: 'Continue' }).click();
  await person.type(3, 0, 'Dora');
  await person.waitUntilSaved();
  await page.reload();
  await person.ready();
  await page.locator('.fix-head').waitFor();

  await page.locator('.rail-step', { hasText: 'Values' }).click();
  await choose(person, 'Gold', 'Premium');
  await page.getByRole('button', { name: 'Apply and continue' }).click();
  await page.getByRole('dialog').getByRole('button', { name: /^Keep/ }).click();
  await page.getByRole('button', { name: 'Apply and continue' }).click();
  await page.getByRole('dialog').locator('.k-danger').click();
  await page.getByText('4 of 4 rows need attention').waitFor();
  assert.equal(await person.cell(3, 0).innerText(), 'D');
  await person.closeAndCheck();
});
