import { readFileSync } from 'node:fs';
import { createImport, getImport, getImportResult, type Fields, type Import } from './orval/client';

const fields: Fields = [
  { key: 'name', label: 'Name', validators: [{ validate: 'required' }] },
  { key: 'born', label: 'Born', type: ['date', { locale: 'en-GB' }] },
];

async function main() {
  const created = await createImport({ fields, original_filename: 'people.csv' });
  if (created.status !== 201) throw new Error(created.data.detail);
  let it: Import = created.data;
  await fetch(it.upload, { method: 'PUT', body: readFileSync('people.csv') });
  while (it.status !== 'SUCCESSFUL') {
    if (it.status === 'FAILED' || it.status === 'NEEDS_REVIEW') throw new Error(JSON.stringify(it.import_errors));
    it = (await getImport(it.id)).data as Import;
  }
  const result = await getImportResult(it.id);
  if (result.status !== 200) throw new Error(result.data.detail);
  console.log(it.result_metadata!.numDataRows, await (await fetch(result.data.presigned_url)).text());
}
void main();
