import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chromiumPath } from '../test/browser/site';
import { Environment } from './environment';
import { freePort, missingRequirement } from './service';

const postgres = process.env.INTRAY_TEST_POSTGRES_URL;
const gateway = process.env.INTRAY_TEST_VERSITYGW;
const missing = missingRequirement(chromiumPath) || (!postgres && 'INTRAY_TEST_POSTGRES_URL is not set') || (!gateway && 'INTRAY_TEST_VERSITYGW is not set');

const folder = mkdtempSync(join(tmpdir(), 'intray-direct-'));
const file = join(folder, 'large.csv');
const rows = 10_000;
writeFileSync(file, `Number,Text\n${Array.from({ length: rows }, (_, n) => `${n},${'x'.repeat(900)}\n`).join('')}`);
const running: ChildProcess[] = [];
after(() => {
  for (const one of running) one.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Runs SQL on the PostgreSQL server. */
function administer(sql: string): void {
  const { status, stderr } = spawnSync('psql', [postgres!, '-qc', sql], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

/** Starts an S3 server. Pages can use it only if `cors` is set. Returns its URL. */
async function startBucket(name: string, cors: boolean): Promise<string> {
  const port = await freePort();
  mkdirSync(join(folder, name, 'files'), { recursive: true });
  const args = ['--access', 'intray', '--secret', 'intray-secret', '--port', `127.0.0.1:${port}`, '--quiet', ...(cors ? ['--cors-allow-origin', '*'] : []), 'posix', join(folder, name)];
  running.push(spawn(gateway!, args, { stdio: 'ignore' }));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 400; tries++) {
    if (await fetch(url).then(() => true, () => false)) return url;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('the S3 server did not start');
}

for (const cors of [true, false]) {
  const name = cors ? 'a large file is sent directly to the bucket' : 'without a CORS rule, the server receives the file';
  test(name, { timeout: 180_000 }, async (context) => {
    if (missing) return context.skip(missing);
    const bucket = await startBucket(cors ? 'open' : 'closed', cors);
    const database = `e2e_${Math.random().toString(36).slice(2)}`;
    administer(`CREATE DATABASE ${database}`);
    context.after(() => administer(`DROP DATABASE ${database} WITH (FORCE)`));
    const url = new URL(postgres!);
    url.pathname = `/${database}`;
    const environment = await Environment.open({
      args: ['--database-url', url.href, '--blob-url', 's3://files', '--direct-uploads'],
      env: { AWS_ENDPOINT_URL_S3: bucket, AWS_ACCESS_KEY_ID: 'intray', AWS_SECRET_ACCESS_KEY: 'intray-secret', AWS_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
    });
    context.after(() => environment.close());
    const { service } = environment;
    const fields = [{ key: 'number', label: 'Number' }, { key: 'text', label: 'Text' }];
    const schema = await service.call<{ id: string }>('POST', '/api/v1/schemas/', JSON.stringify({ name: 'Large', fields, settings: {} }));
    const link = await service.call<{ url: string }>('POST', '/api/v1/import-links/', JSON.stringify({ schema_id: schema.id }));
    const person = await environment.person({ review_url: link.url });
    person.expected.push(new RegExp(`^left the origin: ${bucket}/files/imports/`));
    if (!cors) person.expected.push(/blocked by CORS policy|net::ERR_FAILED/);
    const { page } = person;
    const calls: string[] = [];
    const debug: string[] = [];
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === bucket || pathname.startsWith('/upload/')) calls.push(`${request.method()} ${origin === bucket ? 'bucket' : pathname.split('/').slice(3).join('/')}`.trim());
    });
    page.on('console', (message) => message.type() === 'debug' && debug.push(message.text()));
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText(`All ${rows.toLocaleString('en')} rows are ready`).waitFor();
    assert.deepEqual(calls, ['POST direct/', 'PUT bucket', ...(cors ? ['POST commit/'] : ['POST', 'PATCH', 'PATCH'])]);
    assert.equal(debug.length, cors ? 0 : 1);
    await person.closeAndCheck();
  });
}
