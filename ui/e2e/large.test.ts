import assert from 'node:assert/strict';
import { after } from 'node:test';
import { contacts, fields } from './contacts';
import { Session } from './service';
import { closeEnvironment, environmentTest } from './environment';

after(closeEnvironment);

interface Rows {
  readonly rows: readonly { readonly cells: readonly { readonly text: string }[] }[];
}

environmentTest('ten thousand cells are pasted and undone as one change', async (environment) => {
  const made = await environment.service.make({ fields, file: contacts(6000) });
  const person = await environment.person(made);
  const table = Array.from({ length: 5000 }, (_, n) => `Name ${n}\tname${n}@example.org`).join('\n');
  await person.page.evaluate((text) => navigator.clipboard.writeText(text), table);
  await person.cell(0, 0).click();
  await person.press('Control+v');
  await person.waitForOutcome('10,000 cells changed');
  await person.waitUntilSaved();
  const session = await Session.open(made);
  const { rows } = await session.get<Rows>('rows/?from=4998&count=3');
  assert.deepEqual(rows.map((row) => row.cells[0]!.text).slice(0, 2), ['Name 4998', 'Name 4999']);
  assert.ok(!rows[2]!.cells[0]!.text.startsWith('Name'));
  await person.press('Control+z');
  await person.waitForOutcome('Undone: 10,000 cells');
  const back = await session.get<Rows>('rows/?from=4998&count=1');
  assert.notEqual(back.rows[0]!.cells[0]!.text, 'Name 4998');
  await person.closeAndCheck();
});

environmentTest('a replacement in 100,000 rows is previewed, made and undone', async (environment) => {
  const made = await environment.service.make({ fields, file: contacts(100_000) });
  const person = await environment.person(made);
  const before = await person.count('Problems');
  await person.press('Control+h');
  await person.page.getByLabel('Find', { exact: true }).fill('p');
  await person.page.getByLabel('Replace with').fill('q');
  await person.page.getByRole('dialog').getByRole('button', { name: /^Column/ }).or(person.page.getByRole('dialog').getByRole('combobox', { name: /^Column/ })).first().click();
  await person.page.getByRole('option', { name: 'E-mail' }).click();
  await person.page.getByText(/Changes 100,000 cells in .*100,000 rows/).waitFor();
  await person.button('Replace 100,000 cells').click();
  await person.waitForOutcome('100,000 cells replaced');
  await person.waitUntilSaved();
  const session = await Session.open(made);
  const last = async () => (await session.get<Rows>('rows/?from=99999&count=1')).rows[0]!.cells[1]!.text;
  assert.match(await last(), /^q99999@/);
  await person.page.locator('.ig-cell').first().click();
  await person.press('Control+z');
  await person.waitForOutcome('Undone: 100,000 cells');
  assert.match(await last(), /^p99999@/);
  await person.waitForCount('Problems', before);
  await person.closeAndCheck();
});
