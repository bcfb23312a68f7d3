import assert from 'node:assert/strict';
import { after } from 'node:test';
import { violations, violationsIn } from '../test/browser/axe';
import { looks } from './appearances';
import type { Person } from './person';
import { closeEnvironment, environmentTest, type Environment } from './environment';
import { importStates } from './import-states';
import { Imports, reach, states, type Kind } from './states';

after(closeEnvironment);

const expected = [/Failed to load resource/, /ERR_INTERNET_DISCONNECTED/];

for (const [look, options] of Object.entries(looks)) {
  environmentTest(`axe finds no violations in any step or dialog: ${look}`, async (environment) => {
    const imports = new Imports(environment.service);
    const small = (options.viewport?.width ?? 1280) < 560;
    let person: Person | null = null;
    let shown: Kind | '' = '';
    const found: string[] = [];
    for (const state of states) {
      if (small && state.wide) continue;
      const made = await imports.of(state.of);
      if (person && shown === state.of && !state.expired) await back(person);
      else {
        await person?.closeAndCheck();
        person = await opened(environment, state.expired ? made.review_url.split('#')[0]! : made.review_url);
        shown = state.of;
      }
      await reach(state, person, environment, made);
      for (const one of await violations(person.page)) found.push(`${state.name}: ${one}`);
    }
    await person?.closeAndCheck();
    assert.deepEqual(found, []);
  });

  async function opened(environment: Environment, link: string): Promise<Person> {
    const person = await environment.person({ review_url: link }, options);
    person.expected.push(...expected);
    return person;
  }
}

for (const [look, options] of Object.entries(looks)) {
  environmentTest(`axe finds no violations before a file is sent and around the importer: ${look}`, async (environment) => {
    const found: string[] = [];
    for (const state of importStates) {
      const { page, frame } = await state.open(environment, options);
      for (const one of await violationsIn(frame)) found.push(`${state.name}: ${one}`);
      await page.context().close();
    }
    assert.deepEqual(found, []);
  });
}

/** Closes everything that is open. Filters stay active. */
async function back(person: Person): Promise<void> {
  for (let times = 0; times < 3; times++) await person.press('Escape');
  await person.page.locator('dialog').waitFor({ state: 'detached' });
  if (await person.page.locator('.column-head').isVisible()) {
    await person.page.reload();
    await person.ready();
  }
}
