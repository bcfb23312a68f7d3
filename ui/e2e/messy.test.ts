import assert from 'node:assert/strict';
import { after } from 'node:test';
import { messy, type Fix, type Messy } from './messy-files';
import type { Person } from './person';
import type { Service } from './service';
import { closeEnvironment, environmentTest } from './environment';

after(closeEnvironment);

for (const example of messy) {
  environmentTest(`${example.name}: reviewed to the end with the mouse`, async (environment) => {
    const made = await environment.service.example(example.name, example.file);
    assert.equal(made.status, 'NEEDS_REVIEW');
    const person = await environment.person(made);
    for (const fix of example.fixes) {
      const before = await person.page.locator('#cells-problems').textContent();
      await fixWithMouse(person, fix);
      // Wait until the problems have been counted again, because that moves the list.
      await person.page.locator('#cells-problems').filter({ hasNotText: before! }).waitFor();
    }
    await person.waitForCount('Problems', 0);
    await person.page.locator('.fix-continue').click();
    await person.button(`Submit ${example.rows} rows`).click();
    await person.page.getByRole('heading', { name: 'Import complete' }).waitFor();
    await person.page.locator('.counts').getByText(String(example.rows)).waitFor();
    await person.closeAndCheck();
    await assertResult(environment.service, made.id, example);
  });
}

/** Fixes equal values in the panel. Fixes missing and duplicate values in their cells. */
async function fixWithMouse(person: Person, fix: Fix): Promise<void> {
  const value = person.page.locator('.c-value', { has: person.page.locator(`.c-value-text bdi:text-is(${JSON.stringify(fix.wrong)})`) });
  await openGroup(person, fix);
  if (fix.wrong === '' || fix.twice) return fixInCell(person, fix);
  await value.locator('.c-choose, .c-other').click();
  const box = person.page.locator('.c-chooser');
  if (fix.choice) await box.getByRole('option', { name: fix.choice, exact: false }).first().click();
  else {
    await box.locator('.c-field').fill(fix.right);
    await box.getByRole('button', { name: 'Replace 1 cell' }).click();
  }
  await person.waitForOutcome('1 cell replaced');
  await person.waitUntilSaved();
}

/** Opens the problem group of a cell. A field may have several groups. */
async function openGroup(person: Person, fix: Fix): Promise<void> {
  const groups = person.group(fix.field);
  await groups.first().waitFor();
  for (let at = 0; at < (await groups.count()); at++) {
    const head = groups.nth(at).locator('.c-group-head');
    if ((await head.getAttribute('aria-pressed')) !== 'true') await head.click();
    await person.page.locator('.c-group.is-shown').and(groups.nth(at)).waitFor();
    const cell = person.invalidCells(fix.wrong).first();
    if (await cell.waitFor({ timeout: 5000 }).then(() => true, () => false)) return;
  }
  throw new Error(`${fix.field}: no problem with ${JSON.stringify(fix.wrong)} is shown`);
}

async function fixInCell(person: Person, fix: Fix): Promise<void> {
  await person.invalidCells(fix.wrong).first().dblclick();
  const field = person.page.locator('.ig-field');
  await field.fill(fix.right);
  await person.page.locator('#cells-problems').click();
  await field.waitFor({ state: 'detached' });
  await person.waitUntilSaved();
}

async function assertResult(service: Service, id: string, example: Messy): Promise<void> {
  assert.equal((await service.until(id, ['SUCCESSFUL', 'FAILED'])).status, 'SUCCESSFUL');
  const rows = await service.result(id);
  assert.equal(rows.length, example.rows);
  for (const [row, key, value] of example.result) assert.deepEqual(rows[row - 1]![key], value, `row ${row}, ${key}`);
}
