import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { unwrap } from '../../src/api/client';
import { Fault, faultOf, type FaultKind } from '../../src/api/fault';

test('the generated types match the OpenAPI document', () => {
  const [first] = readFileSync('src/api/schema.d.ts', 'utf8').split('\n');
  const of = createHash('sha256').update(readFileSync('src/api/openapi.json')).digest('hex');
  assert.equal(first, `// of ${of}`, 'run npm run api');
});

test('an error response becomes the matching kind of fault', () => {
  const error = { detail: 'A sentence.', code: 'some_code', request_id: 'r1' };
  const cases: [number, unknown, FaultKind, string][] = [
    [400, error, 'refused', 'A sentence.'],
    [401, error, 'unauthorized', 'A sentence.'],
    [403, error, 'refused', 'A sentence.'],
    [404, error, 'gone', 'A sentence.'],
    [409, { ...error, code: 'rows_damaged' }, 'damaged', 'A sentence.'],
    [409, error, 'refused', 'A sentence.'],
    [429, error, 'lost', 'A sentence.'],
    [500, error, 'refused', 'A sentence.'],
    [503, error, 'lost', 'A sentence.'],
    // A response without a message comes from a proxy, not from the server.
    [404, '<html>', 'lost', ''],
    [502, '<html>', 'lost', ''],
    [403, undefined, 'lost', ''],
    [401, '', 'unauthorized', ''],
  ];
  for (const [status, body, kind, message] of cases) {
    const fault = faultOf(status, body);
    assert.deepEqual([fault.kind, fault.message, fault.status], [kind, message, status], `${status} ${JSON.stringify(body)}`);
  }
  assert.equal(faultOf(500, error).request, 'r1');
  assert.equal(faultOf(409, { ...error, code: 'changed_by_others', cells: [{ id: '3' }] }).cells[0]?.id, '3');
});

test('unwrap returns the response data, or throws a fault or the abort error', async () => {
  const response = (status: number) => new Response(null, { status });
  assert.equal(await unwrap(Promise.resolve({ data: 3, response: response(200) })), 3);
  await assert.rejects(unwrap(Promise.resolve({ error: { detail: 'No.' }, response: response(409) })), (fault: Fault) => fault.kind === 'refused' && fault.message === 'No.');
  await assert.rejects(unwrap(Promise.reject(new TypeError('failed to fetch'))), (fault: Fault) => fault.kind === 'lost');
  await assert.rejects(unwrap(Promise.reject(new DOMException('', 'AbortError'))), { name: 'AbortError' });
});
