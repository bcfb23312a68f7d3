import { readFileSync } from 'node:fs';
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript/schema';

const client = createClient<paths>({ baseUrl: process.env.INTRAY_URL, headers: { 'X-Service-License-Key': process.env.INTRAY_KEY } });
const fields: components['schemas']['Fields'] = [
  { key: 'name', label: 'Name', validators: [{ validate: 'required' }] },
  { key: 'born', label: 'Born', type: ['date', { locale: 'en-GB' }] },
];

async function main() {
  let it = (await client.POST('/api/v1/headless/imports/', { body: { fields, original_filename: 'people.csv' } })).data!;
  await fetch(it.upload, { method: 'PUT', body: readFileSync('people.csv') });
  while (it.status !== 'SUCCESSFUL') {
    if (it.status === 'FAILED' || it.status === 'NEEDS_REVIEW') throw new Error(JSON.stringify(it.import_errors));
    it = (await client.GET('/api/v1/headless/imports/{id}/', { params: { path: { id: it.id } } })).data!;
  }
  const result = await client.GET('/api/v1/headless/imports/{id}/url/', { params: { path: { id: it.id } } });
  console.log(it.result_metadata!.numDataRows, await (await fetch(result.data!.presigned_url)).text());
}
void main();
