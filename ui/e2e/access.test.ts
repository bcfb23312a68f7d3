import assert from 'node:assert/strict';
import { after } from 'node:test';
import { violations } from '../test/browser/axe';
import { looks } from './appearances';
import type { Person } from './person';
import { curtain, show, type Environment } from './environment';
import { Imports, reach, states, type Kind } from './states';

after(curtain);

const expected = [/Failed to load resource/, /ERR_INTERNET_DISCONNECTED/];

for (const [look, options] of Object.entries(looks)) {
  show(`axe finds nothing on any step or dialog: ${look}`, async (stage) => {
    const imports = new Imports(stage.service);
    const small = (options.viewport?.width ?? 1280) < 560;
    let person: Person | null = null;
    let shown: Kind | '' = '';
    const found: string[] = [];
    for (const state of states) {
      if (small && state.wide) continue;
      const made = await imports.of(state.of);
      if (person && shown === state.of && !state.expired) await back(person);
      else {
        await person?.leave();
        person = await opened(stage, state.expired ? made.review_url.split('#')[0]! : made.review_url);
        shown = state.of;
      }
      await reach(state, person, stage, made);
      for (const one of await violations(person.page)) found.push(`${state.name}: ${one}`);
    }
    await person?.leave();
    assert.deepEqual(found, []);
  });

  async function opened(stage: Environment, link: string): Promise<Person> {
    const person = await stage.person({ review_url: link }, options);
    person.expected.push(...expected);
    return person;
  }
}

/** To where nothing is open; what is filtered stays so. */
async function back(person: Person): Promise<void> {
  for (let times = 0; times < 3; times++) await person.press('Escape');
  await person.page.locator('dialog').waitFor({ state: 'detached' });
  if (await person.page.locator('.column-head').isVisible()) {
    await person.page.reload();
    await person.ready();
  }
}
