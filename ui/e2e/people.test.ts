import assert from 'node:assert/strict';
import { after } from 'node:test';
import { contacts, fields } from './contacts';
import { Session } from './service';
import { curtain, show } from './environment';

after(curtain);

show('two people at one cell: the later one sees both texts and chooses', async (stage) => {
  const made = await stage.service.make({ fields, file: contacts(100) });
  const mine = await stage.person(made);
  const theirs = await stage.person(made);
  for (const [row, choice, stands] of [[5, 'Keep theirs', 'Theirs'], [6, 'Use yours', 'Mine']] as const) {
    await mine.cell(row, 0).dblclick();
    await mine.press('Control+a');
    await mine.page.keyboard.type('Mine');
    await theirs.type(row, 0, 'Theirs');
    await theirs.saved();
    await mine.press('Enter');
    const box = mine.page.locator('.c-conflicts');
    await box.getByText('theirs').first().waitFor();
    assert.match((await box.textContent())!, /Theirs.*Mine/s);
    await box.getByRole('button', { name: choice }).click();
    await box.waitFor({ state: 'detached' });
    await mine.saved();
    await mine.cell(row, 0).filter({ hasText: stands }).waitFor();
    await theirs.cell(row, 0).filter({ hasText: stands }).waitFor();
  }
  mine.expected.push(/409/);
  await mine.leave();
  await theirs.leave();
});

show('what one changes, deletes and adds is shown to the other by itself', async (stage) => {
  const made = await stage.service.make({ fields, file: contacts(100) });
  const mine = await stage.person(made);
  const theirs = await stage.person(made);
  await theirs.type(1, 0, 'From the other window');
  await mine.cell(1, 0).filter({ hasText: 'From the other window' }).waitFor();
  await theirs.cell(2, 0).click({ button: 'right' });
  await theirs.page.getByRole('menuitem', { name: 'Delete the row' }).click();
  await mine.counts('All', 99);
  await mine.leave();
  await theirs.leave();
});

show('a reload in the middle keeps what was changed, and it can still be undone', async (stage) => {
  const made = await stage.service.make({ fields, file: contacts(100) });
  const person = await stage.person(made);
  await person.type(0, 0, 'First');
  await person.saved();
  await person.type(1, 0, 'Second');
  await person.saved();
  assert.equal(new URL(person.page.url()).hash, '', 'the token stays in the address');
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
  await person.leave();
});

show('an address without its link, and one with a wrong one, open nothing and say why', async (stage) => {
  const made = await stage.service.make({ fields, file: contacts(20) });
  const bare = made.review_url.split('#')[0]!;
  for (const link of [bare, `${bare}#wrong`]) {
    const person = await stage.person({ review_url: link });
    await person.page.getByRole('heading', { name: /This page has closed itself|This link does not open the import/ }).waitFor();
    assert.equal(await person.page.getByText('Contacts').count(), 0);
    person.expected.push(/40[13]/);
    await person.leave();
  }
});

show('while one looks on, another submits: both see the end, and so does who comes later', async (stage) => {
  const made = await stage.service.make({ fields, file: 'Name,E-mail,Country,Born,Status,Revenue\nAnna,a@b,DE,1990-01-31,Active,1\n' });
  const mine = await stage.person(made);
  const theirs = await stage.person(made);
  await theirs.type(0, 1, 'anna@example.org');
  await theirs.counts('Problems', 0);
  await theirs.button('Submit').click();
  await theirs.button('Submit 1 row').click();
  for (const person of [theirs, mine, await stage.person(made)]) {
    await person.page.getByRole('heading', { name: 'Import complete' }).waitFor();
    // What a page asked about the rows in that moment is refused.
    person.expected.push(/409/);
    await person.leave();
  }
  const session = await Session.open(made);
  await assert.rejects(session.post('edits/', { op: 'late', kind: 'set', cells: [{ id: '0', key: 'name', text: 'Late' }] }), /409/);
});
