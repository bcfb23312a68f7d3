import assert from 'node:assert/strict';
import { after } from 'node:test';
import { contacts, fields } from './contacts';
import { Session } from './service';
import { closeEnvironment, environmentTest } from './environment';

after(closeEnvironment);

environmentTest('if two users edit one cell, the later one sees both texts and chooses', async (environment) => {
  const made = await environment.service.make({ fields, file: contacts(100) });
  const mine = await environment.person(made);
  const theirs = await environment.person(made);
  for (const [row, choice, stands] of [[5, 'Keep theirs', 'Theirs'], [6, 'Use yours', 'Mine']] as const) {
    await mine.cell(row, 0).dblclick();
    await mine.press('Control+a');
    await mine.page.keyboard.type('Mine');
    await theirs.type(row, 0, 'Theirs');
    await theirs.waitUntilSaved();
    await mine.press('Enter');
    const box = mine.page.locator('.c-conflicts');
    await box.getByText('theirs').first().waitFor();
    assert.match((await box.textContent())!, /Theirs.*Mine/s);
    await box.getByRole('button', { name: choice }).click();
    await box.waitFor({ state: 'detached' });
    await mine.waitUntilSaved();
    await mine.cell(row, 0).filter({ hasText: stands }).waitFor();
    await theirs.cell(row, 0).filter({ hasText: stands }).waitFor();
  }
  mine.expected.push(/409/);
  await mine.closeAndCheck();
  await theirs.closeAndCheck();
});

environmentTest('changes and deletions by other users appear automatically', async (environment) => {
  const made = await environment.service.make({ fields, file: contacts(100) });
  const mine = await environment.person(made);
  const theirs = await environment.person(made);
  await theirs.type(1, 0, 'From the other window');
  await mine.cell(1, 0).filter({ hasText: 'From the other window' }).waitFor();
  await theirs.cell(2, 0).click({ button: 'right' });
  await theirs.page.getByRole('menuitem', { name: 'Delete the row' }).click();
  await mine.waitForCount('All', 99);
  await mine.closeAndCheck();
  await theirs.closeAndCheck();
});

environmentTest('a reload keeps all changes, which can still be undone', async (environment) => {
  const made = await environment.service.make({ fields, file: contacts(100) });
  const person = await environment.person(made);
  await person.type(0, 0, 'First');
  await person.waitUntilSaved();
  await person.type(1, 0, 'Second');
  await person.waitUntilSaved();
  assert.equal(new URL(person.page.url()).hash, '', 'the token is still in the URL');
  await person.page.reload();
  await person.ready();
  await person.cell(1, 0).filter({ hasText: 'Second' }).waitFor();
  assert.equal(await person.cell(0, 0).textContent(), 'First');
  await person.cell(0, 0).click();
  await person.press('Control+z');
  await person.cell(1, 0).filter({ hasText: 'Jürgen' }).waitFor();
  await person.press('Control+z');
  await person.cell(0, 0).filter({ hasText: 'Anna' }).waitFor();
  await person.press('Control+y');
  await person.cell(0, 0).filter({ hasText: 'First' }).waitFor();
  await person.closeAndCheck();
});

environmentTest('links with a missing or invalid token show why they open no import', async (environment) => {
  const made = await environment.service.make({ fields, file: contacts(20) });
  const bare = made.review_url.split('#')[0]!;
  for (const link of [bare, `${bare}#wrong`]) {
    const person = await environment.person({ review_url: link });
    await person.page.getByRole('heading', { name: /^(Open the link you received|This link doesn’t work)$/ }).waitFor();
    assert.equal(await person.page.getByText('Contacts').count(), 0);
    person.expected.push(/40[13]/);
    await person.closeAndCheck();
  }
});

environmentTest('after a submission, all open and later pages show that the import is complete', async (environment) => {
  const made = await environment.service.make({ fields, file: 'Name,E-mail,Country,Born,Status,Revenue\nAnna,a@b,DE,1990-01-31,Active,1\n' });
  const mine = await environment.person(made);
  const theirs = await environment.person(made);
  await theirs.type(0, 1, 'anna@example.org');
  await theirs.waitForCount('Problems', 0);
  await theirs.page.locator('.fix-continue').click();
  await theirs.button('Submit 1 row').click();
  for (const person of [theirs, mine, await environment.person(made)]) {
    await person.page.getByRole('heading', { name: 'Import complete' }).waitFor();
    // If a request for rows is in progress when the review ends, the server rejects it.
    person.expected.push(/409/);
    await person.closeAndCheck();
  }
  const session = await Session.open(made);
  await assert.rejects(session.post('edits/', { op: 'late', kind: 'set', cells: [{ id: '0', key: 'name', text: 'Late' }] }), /409/);
});

environmentTest('messages that a page rarely shows are loaded when they are needed', async (environment) => {
  const broken = new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const made = await environment.service.make({ fields: [{ key: 'name', label: 'Name' }], filename: 'list.xlsx', file: broken });
  // French has no messages about certain file formats.
  for (const [language, text, rare] of [['de', 'ZIP-Datei', true], ['fr', 'zip file', false]] as const) {
    const person = await environment.person(made, { query: `?lang=${language}` });
    await person.page.locator('.sentence', { hasText: text }).first().waitFor();
    assert.equal(await person.page.locator('.sentence[lang=en]').count() > 0, !rare, language);
    await person.closeAndCheck();
  }
});
