import assert from 'node:assert/strict';
import { after } from 'node:test';
import { messy, type Fix } from './messy-files';
import type { Person } from './person';
import { closeEnvironment, environmentTest } from './environment';

after(closeEnvironment);

const crm = messy.find((one) => one.name === 'crm')!;

environmentTest('crm: reviewed to the end with the keyboard', async (environment) => {
  const made = await environment.service.example(crm.name, crm.file);
  const person = await environment.person(made);
  const open = [...crm.fixes];
  // "Next problem" also stops at notes, which need no fix.
  for (let stops = 0; open.length > 0; stops++) {
    assert.ok(stops < 200, `not reached: ${open.map((fix) => fix.wrong).join(', ')}`);
    await person.press('Alt+ArrowDown');
    const cell = person.page.locator('.ig-cell.is-active');
    await cell.waitFor();
    const at = await settledAt(person);
    const fix = open.find((one) => one.wrong === at.text && one.field === at.field);
    if (!at.wrong || !fix) continue;
    await applyFix(person, fix);
    open.splice(open.indexOf(fix), 1);
  }
  await person.waitUntilSaved();
  await person.waitForCount('Problems', 0);
  await tabTo(person, 'Continue');
  await person.press('Enter');
  await person.button(`Submit ${crm.rows} rows`).waitFor();
  await tabTo(person, `Submit ${crm.rows} rows`);
  await person.press('Enter');
  await person.page.getByRole('heading', { name: 'Import complete' }).waitFor();
  await person.closeAndCheck();
  const rows = await environment.service.result(made.id);
  for (const [row, key, value] of crm.result) assert.deepEqual(rows[row - 1]![key], value, `row ${row}, ${key}`);
});

async function applyFix(person: Person, fix: Fix): Promise<void> {
  if (fix.choice) await person.press('Enter');
  await person.page.keyboard.type(fix.choice ?? fix.right);
  await person.press('Enter');
  await person.page.locator('.ig-field, .ig-listbox').first().waitFor({ state: 'detached' });
  await person.waitUntilSaved();
}

interface Place {
  readonly text: string;
  readonly field: string;
  readonly wrong: boolean;
}

/** Returns the active cell once it no longer changes. */
async function settledAt(person: Person): Promise<Place> {
  let before = '';
  for (;;) {
    const now = await person.page.evaluate(() => {
      const cell = document.querySelector('.ig-cell.is-active');
      const head = document.querySelector(`.ig-head [aria-colindex="${cell?.getAttribute('aria-colindex')}"]`);
      const row = cell?.closest('[aria-rowindex]')?.getAttribute('aria-rowindex') ?? '';
      return { row, text: cell?.textContent ?? '', field: head?.textContent ?? '', wrong: cell?.classList.contains('has-error') ?? false };
    });
    const current = JSON.stringify(now);
    if (current === before) return now;
    before = current;
    await person.page.waitForTimeout(200);
  }
}

/** Presses Tab until a button has the focus. */
async function tabTo(person: Person, name: string): Promise<void> {
  for (let stops = 0; stops < 60; stops++) {
    await person.press('Tab');
    const at = await person.page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    if (at === name) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}
