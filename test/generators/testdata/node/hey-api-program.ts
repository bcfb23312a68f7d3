import { readFileSync } from 'node:fs';
import { createImport, getImport, getImportResult, type Fields } from './hey-api';
import { client } from './hey-api/client.gen';

client.setConfig({ baseUrl: process.env.INTRAY_URL, auth: () => process.env.INTRAY_KEY, throwOnError: true });
const fields: Fields = [
  { key: 'name', label: 'Name', validators: [{ validate: 'required' }] },
  { key: 'born', label: 'Born', type: ['date', { locale: 'en-GB' }] },
];

async function main() {
  let it = (await createImport({ body: { fields, original_filename: 'people.csv' } })).data!;
  await fetch(it.upload, { method: 'PUT', body: readFileSync('people.csv') });
  while (it.status !== 'SUCCESSFUL') {
    if (it.status === 'FAILED' || it.status === 'NEEDS_REVIEW') throw new Error(JSON.stringify(it.import_errors));
    it = (await getImport({ path: { id: it.id } })).data!;
  }
  const result = (await getImportResult({ path: { id: it.id } })).data!;
  console.log(it.result_metadata!.numDataRows, await (await fetch(result.presigned_url)).text());
}
void main();
