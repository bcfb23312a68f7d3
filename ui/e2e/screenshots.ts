import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Look } from './person';
import { Environment } from './environment';
import { importStates } from './import-states';
import { Imports, reach, states } from './states';

/**
 * Takes screenshots of the pages in each state. Run it with node e2e/run.mjs screenshots [part of
 * a name]. It needs cwebp, which is in the Debian package webp. Those in the documented looks are committed.
 */
const folder = 'shots/states';
const documentation = '../docs/screenshots';
const documented = ['', '-dark', '-phone'];
const most = 150_000;
const only = process.argv[2] ?? '';

/** States that are also pictured in the looks that are not documented. */
const some = ['cells', 'problem', 'group', 'replace', 'columns', 'dates', 'blocked', 'done', 'nothing-wrong', 'chooser', 'columns-decided', 'link', 'link-rows', 'widget'];
const phone = { viewport: { width: 400, height: 800 } };
const looks: Readonly<Record<string, readonly [look: Look, names: readonly string[] | null]>> = {
  '': [{ colorScheme: 'light' }, null],
  '-dark': [{ colorScheme: 'dark' }, null],
  '-phone': [{ colorScheme: 'light', ...phone }, null],
  '-german': [{ colorScheme: 'light', query: '?lang=de' }, some],
  '-arabic': [{ colorScheme: 'light', query: '?lang=ar' }, some],
  '-arabic-dark': [{ colorScheme: 'dark', query: '?lang=ar' }, ['group', 'columns']],
  '-phone-dark': [{ colorScheme: 'dark', ...phone }, ['problem', 'columns']],
  '-zoomed': [{ colorScheme: 'light', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, ['cells', 'problem', 'group', 'replace', 'columns', 'blocked']],
};

mkdirSync(folder, { recursive: true });
const environment = await Environment.open();
const imports = new Imports(environment.service);
let failed = 0;
for (const [look, [options, names]] of Object.entries(looks)) {
  const wanted = (name: string) => (!names || names.includes(name)) && `${name}${look}`.includes(only);
  for (const state of importStates) {
    if (wanted(state.name)) await attempt(`${state.name}${look}`, async () => (await state.open(environment, options)).page);
  }
}
// States that change the import for other users come last.
for (const permanent of [false, true]) {
  for (const [look, [options, names]] of Object.entries(looks)) {
    for (const state of states) {
      const { name } = state;
      const fits = look.startsWith('-phone') ? !state.wide : true;
      if ((state.permanent ?? false) !== permanent || (names && !names.includes(name)) || !fits || !`${name}${look}`.includes(only)) continue;
      await attempt(`${name}${look}`, async () => {
        const made = await imports.of(state.of);
        const person = await environment.person(state.expired ? { review_url: made.review_url.split('#')[0]! } : made, options);
        await person.page.waitForTimeout(500);
        await reach(state, person, environment, made);
        // The values may not load while the page is offline.
        await person.page.locator('.c-values.is-loading').waitFor({ state: 'detached', timeout: 5000 }).catch(() => {});
        return person.page;
      });
    }
  }
}
await environment.close();
process.exit(failed > 0 ? 1 : 0);

/** Opens a page, and saves a screenshot of it. */
async function attempt(name: string, open: () => Promise<Page>): Promise<void> {
  try {
    const page = await open();
    await page.waitForTimeout(250);
    const small = toWebp(await page.screenshot({ animations: 'disabled' }));
    const [look] = /(-(dark|phone|german|arabic|zoomed))*$/.exec(name)!;
    writeFileSync(`${documented.includes(look) ? documentation : folder}/${name}.webp`, small);
    console.log(`${name} ${(small.length / 1000).toFixed(0)} kB${small.length > most ? ', too large' : ''}`);
  } catch (error) {
    failed++;
    console.log(`${name}: ${error}`);
  }
  for (const context of environment.browser.contexts()) await context.close();
}

/** Converts a PNG file to lossless WebP. */
function toWebp(png: Buffer): Buffer {
  const { status, stdout, error } = spawnSync('cwebp', ['-quiet', '-lossless', '-z', '9', '-o', '-', '--', '-'], { input: png, maxBuffer: 1e8 });
  if (status !== 0) throw error ?? new Error('cwebp failed');
  return stdout;
}
