import { mkdirSync, writeFileSync } from 'node:fs';
import { toPalette } from './png-palette';
import type { Look } from './person';
import { Environment } from './environment';
import { importStates } from './import-states';
import { Imports, reach, states } from './states';

/**
 * Takes screenshots of the page in each state. Run it with node e2e/run.mjs screenshots [part of
 * a name]. One of the screenshots is committed and shown in the documentation.
 */
const folder = 'shots/states';
const documented = ['cells.png'];
const most = 150_000;
const only = process.argv[2] ?? '';

const some = ['cells', 'problem', 'group', 'replace', 'columns', 'dates', 'blocked', 'done', 'nothing-wrong', 'offline'];
const looks: Readonly<Record<string, readonly [look: Look, names: readonly string[] | null]>> = {
  '': [{ colorScheme: 'light' }, null],
  '-dark': [{ colorScheme: 'dark' }, [...some, 'chooser', 'conflict', 'expired', 'columns-decided', 'all-values']],
  '-german': [{ colorScheme: 'light', query: '?lang=de' }, [...some, 'chooser', 'menu-of-selection', 'columns-decided', 'conflict']],
  '-arabic': [{ colorScheme: 'light', query: '?lang=ar' }, [...some, 'chooser', 'columns-decided']],
  '-arabic-dark': [{ colorScheme: 'dark', query: '?lang=ar' }, ['group', 'columns']],
  '-narrow': [{ colorScheme: 'light', viewport: { width: 400, height: 800 } }, [...some.filter((name) => name !== 'offline'), 'chooser', 'all-values', 'columns-decided', 'expired']],
  '-narrow-dark': [{ colorScheme: 'dark', viewport: { width: 400, height: 800 } }, ['problem', 'columns']],
  '-zoomed': [{ colorScheme: 'light', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, ['cells', 'problem', 'group', 'replace', 'columns', 'blocked']],
};

mkdirSync(folder, { recursive: true });
const environment = await Environment.open();
const imports = new Imports(environment.service);
let failed = 0;
// States that change the import for other users come last.
for (const permanent of [false, true]) {
  for (const [look, [options, names]] of Object.entries(looks)) {
    for (const state of states) {
      const file = `${state.name}${look}.png`;
      if ((state.permanent ?? false) !== permanent || (names && !names.includes(state.name)) || !file.includes(only)) continue;
      await picture(state, options, file).catch((error) => {
        failed++;
        console.log(`${file}: ${error}`);
      });
      await environment.clear();
    }
  }
}
for (const [look, [options, names]] of Object.entries(looks)) {
  for (const state of importStates) {
    const file = `${state.name}${look}.png`;
    if ((names && !look.match(/^-(dark|german|arabic|narrow)$/)) || !file.includes(only)) continue;
    await (async () => {
      const { page } = await state.open(environment, options);
      await page.waitForTimeout(250);
      save(file, await page.screenshot({ animations: 'disabled' }));
      await page.context().close();
    })().catch((error) => {
      failed++;
      console.log(`${file}: ${error}`);
    });
  }
}
await environment.close();
process.exit(failed > 0 ? 1 : 0);

async function picture(state: (typeof states)[number], look: Look, file: string): Promise<void> {
  const made = await imports.of(state.of);
  const person = await environment.person(state.expired ? { review_url: made.review_url.split('#')[0]! } : made, look);
  await person.page.waitForTimeout(500);
  await reach(state, person, environment, made);
  // The values may not load while the page is offline.
  await person.page.locator('.c-values.is-loading').waitFor({ state: 'detached', timeout: 5000 }).catch(() => {});
  save(file, await person.page.screenshot({ animations: 'disabled' }));
}

function save(file: string, picture: Buffer): void {
  const small = toPalette(picture);
  writeFileSync(`${documented.includes(file) ? '../docs/screenshots' : folder}/${file}`, small);
  console.log(`${file} ${(small.length / 1000).toFixed(0)} kB${small.length > most ? ', too large' : ''}`);
}
