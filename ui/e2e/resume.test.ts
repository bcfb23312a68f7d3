import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { closeEnvironment, environmentTest, type Environment } from './environment';
import type { Person } from './person';

const folder = mkdtempSync(join(tmpdir(), 'intray-resume-'));
const file = join(folder, 'large.csv');
const rows = 20_000;
// More than two chunks, with few rows, so that the import does not take long.
writeFileSync(file, `Number,Text\n${Array.from({ length: rows }, (_, n) => `${n},${'x'.repeat(900)}\n`).join('')}`);

after(() => rmSync(folder, { recursive: true }));
after(closeEnvironment);

async function visit(environment: Environment): Promise<Person> {
  const { service } = environment;
  const fields = [{ key: 'number', label: 'Number' }, { key: 'text', label: 'Text' }];
  const schema = await service.call<{ id: string }>('POST', '/api/v1/schemas/', JSON.stringify({ name: `Large ${Math.random()}`, fields, settings: {} }));
  const link = await service.call<{ url: string }>('POST', '/api/v1/import-links/', JSON.stringify({ schema_id: schema.id }));
  const person = await environment.person({ review_url: link.url });
  person.expected.push(/ERR_|Failed to load resource/);
  return person;
}

const choose = ({ page }: Person) => page.locator('input[type=file]').setInputFiles(file);

/** Counts the requests that send chunks. The request with the given number, counted from 1, fails. */
async function breakChunk({ page }: Person, broken: number): Promise<string[]> {
  const offsets: string[] = [];
  await page.route('**/upload/**', async (route) => {
    const request = route.request();
    if (request.method() !== 'PATCH') return route.continue();
    offsets.push(request.headers()['upload-offset']!);
    await (offsets.length === broken ? route.abort('connectionreset') : route.continue());
  });
  return offsets;
}

const mebibyte = 1 << 20;

environmentTest('an interrupted upload continues after a reload', async (environment) => {
  const person = await visit(environment);
  const { page } = person;
  const offsets = await breakChunk(person, 2);
  await page.route('**/upload/**', (route) => (offsets.length >= 2 ? route.abort() : route.fallback())); // the connection stays away
  await choose(person);
  await page.getByText('Connection lost. The upload will continue automatically.').waitFor();
  await page.reload();
  await page.getByText(/large\.csv.*stopped at.*4\d%/).waitFor();
  await page.getByText('Choose the same file to continue.').waitFor();
  await page.unroute('**/upload/**');
  const rest = await breakChunk(person, 0);
  await choose(person);
  await person.cell(0, 0).filter({ hasText: '0' }).waitFor();
  assert.deepEqual(rest, [String(8 * mebibyte), String(16 * mebibyte)], 'only the rest is sent');
  await page.getByText(`All ${rows.toLocaleString('en')} rows are ready`).waitFor();
  await person.closeAndCheck();
});

environmentTest('an upload continues after the server was killed', async (environment) => {
  const person = await visit(environment);
  const { page } = person;
  let killed: Promise<void> | undefined;
  await page.route('**/upload/**', async (route) => {
    if (route.request().headers()['upload-offset'] === String(8 * mebibyte)) await (killed ??= environment.service.kill());
    await route.continue();
  });
  await choose(person);
  await page.getByText('Connection lost. The upload will continue automatically.').waitFor();
  await environment.service.up();
  await person.cell(0, 0).filter({ hasText: '0' }).waitFor();
  await page.getByText(`All ${rows.toLocaleString('en')} rows are ready`).waitFor();
  await person.closeAndCheck();
});

environmentTest('an interrupted upload can start over with another file', async (environment) => {
  const person = await visit(environment);
  const { page } = person;
  await page.route('**/upload/**', (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()));
  await choose(person);
  await page.getByText('Connection lost').waitFor();
  await page.reload();
  await person.button('Start over').click();
  await page.getByText('Choose the same file').waitFor({ state: 'detached' });
  await page.unroute('**/upload/**');
  await page.locator('input[type=file]').setInputFiles({ name: 'small.csv', mimeType: 'text/csv', buffer: Buffer.from('Number,Text\nN-1,a\n') });
  await person.cell(0, 0).filter({ hasText: 'N-1' }).waitFor();
  await person.closeAndCheck();
});
