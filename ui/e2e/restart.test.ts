import assert from 'node:assert/strict';
import { after } from 'node:test';
import { contacts, fields } from './contacts';
import { Session } from './service';
import { closeEnvironment, environmentTest } from './environment';

after(closeEnvironment);

interface Rows {
  readonly rows: readonly { readonly version: number; readonly cells: readonly { readonly text: string }[] }[];
}
interface Table {
  readonly undo: number;
}

environmentTest('after the server is killed during edits, saved changes exist and waiting ones are sent once', async (environment) => {
  const made = await environment.service.make({ fields, file: contacts(200) });
  const person = await environment.person(made);
  person.expected.push(/ERR_CONNECTION|Failed to load resource|ERR_INCOMPLETE|ERR_EMPTY/);
  for (let row = 0; row < 5; row++) await person.type(row, 0, `Saved ${row}`);
  await person.waitUntilSaved();
  await person.type(5, 0, 'Under way');
  await environment.service.kill();
  await person.type(6, 0, 'Waiting 6');
  await person.type(7, 0, 'Waiting 7');
  await person.page.getByRole('group', { name: 'Status' }).getByText(/\d changes? waiting to be saved/).waitFor();
  assert.equal(await person.cell(7, 0).textContent(), 'Waiting 7');
  await person.page.getByRole('button', { name: 'Try now' }).waitFor();
  assert.equal(await person.page.getByRole('group', { name: 'The service isn’t responding' }).isVisible(), false, 'it is shown only once');
  await environment.service.up();
  await person.waitUntilSaved();
  const session = await Session.open(made);
  const { rows } = await session.get<Rows>('rows/?from=0&count=9');
  const texts = rows.map((row) => row.cells[0]!.text);
  assert.deepEqual(texts.slice(0, 8), ['Saved 0', 'Saved 1', 'Saved 2', 'Saved 3', 'Saved 4', 'Under way', 'Waiting 6', 'Waiting 7']);
  assert.doesNotMatch(texts[8]!, /Saved|Waiting/);
  // Each change was made once, so there are as many undo steps as edits.
  assert.equal((await session.get<Table>('table/')).undo, 8);
  await person.cell(8, 0).click();
  for (let left = 7; left >= 5; left--) {
    await person.press('Control+z');
    await person.cell(left, 0).filter({ hasNotText: /Waiting|Under/ }).waitFor();
  }
  assert.equal(await person.cell(4, 0).textContent(), 'Saved 4');
  await person.closeAndCheck();
});
