import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportError, Intray, IntrayError, type Import } from '@intray/client';
import { lines } from '../dist/lines.js';
import { maxAttempts, retryDelay, send, sleep } from '../dist/retry.js';
import { ConnectionError } from '../dist/errors.js';

/** Responds with a status, a status and a code, a status and a Retry-After, or not at all. */
function respond(script: string): Response {
  if (script === 'lost') throw new TypeError('fetch failed');
  const [status, rest, seconds] = script.split(' ');
  const headers: Record<string, string> = rest === 'after' ? { 'Retry-After': seconds! } : {};
  const body = rest && rest !== 'after' ? JSON.stringify({ code: rest, detail: 'Wrong.', request_id: '7' }) : '<html>';
  return new Response(body, { status: Number(status), headers });
}

const cases: [method: string, responses: string[], attempts: number, code?: string][] = [
  ['GET', ['200'], 1],
  ['GET', ['lost', '502', '503', '429', '200'], 5],
  ['GET', ['lost', 'lost', 'lost', 'lost', 'lost'], 5, 'connection_failed'],
  ['GET', ['400 invalid'], 1, 'invalid'],
  ['GET', ['500 internal'], 1, 'internal'],
  ['GET', ['302'], 1, 'http_error'],
  ['POST', ['lost', '409 idempotency_key_in_use', '200'], 3],
  ['POST', ['409 name_taken'], 1, 'name_taken'],
  ['POST', ['429 after 60', '200'], 2],
  ['POST', ['429 after 61'], 1, 'http_error'],
  ['PUT', ['lost', '200'], 2],
  ['DELETE', ['lost'], 1, 'connection_failed'],
  ['DELETE', ['502'], 1, 'http_error'],
  ['DELETE', ['503', '429', '200'], 3],
];

for (const [method, responses, attempts, code] of cases) {
  test(`${method} ${responses.join(', ')}`, async () => {
    const left = [...responses];
    const sent = send(
      { method, url: 'http://intray.test/' },
      async () => respond(left.shift()!),
      async () => {},
    );
    if (code) await assert.rejects(sent, (error) => error instanceof IntrayError && error.code === code);
    else assert.equal((await sent).status, 200);
    assert.equal(responses.length - left.length, attempts);
  });
}

test('each attempt of a POST has the same key and body', async () => {
  const sent: [string, string][] = [];
  const intray = new Intray({
    server: 'http://intray.test/base/',
    key: 'bk_test',
    fetch: async (input) => {
      const request = input as Request;
      assert.equal(request.url, 'http://intray.test/base/api/v1/schemas/');
      assert.equal(request.headers.get('X-Service-License-Key'), 'bk_test');
      sent.push([request.headers.get('Idempotency-Key')!, await request.text()]);
      if (sent.length === 1) return respond('503 after 0');
      return Response.json({ id: '1' }, { status: 201 });
    },
  });
  const { data } = await intray.api.createSchema({ body: { name: 'People', fields: [], settings: {} } });
  assert.equal(data.id, '1');
  assert.deepEqual(sent[0], sent[1]);
  assert.match(sent[0]![0], /^.{36}$/);
});

test('an upload with a new URL', async () => {
  const imp = { id: '1', status: 'AWAITING_UPLOAD' };
  const responses: Record<string, () => Response> = {
    'POST /api/v1/headless/imports/': () => Response.json({ ...imp, upload: 'http://intray.test/upload/old' }, { status: 201 }),
    'PUT /upload/old': () => respond('403 expired'),
    'GET /api/v1/headless/imports/1/': () => Response.json({ ...imp, upload: 'http://intray.test/upload/new' }),
    'PUT /upload/new': () => new Response(),
  };
  const requests: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { method, url, headers } = new Request(input, init);
    const { pathname } = new URL(url);
    requests.push(`${method} ${pathname}`);
    assert.equal(headers.has('X-Service-License-Key'), !pathname.startsWith('/upload/'));
    return responses[requests.at(-1)!]!();
  };
  await new Intray({ server: 'http://intray.test', key: 'bk_test', fetch }).startImport('1', new Blob(['x']));
  assert.deepEqual(requests, Object.keys(responses));
});

/** Imports a file of 9 MiB with a server that allows direct uploads. Returns the requests. */
async function direct(changes: Record<string, () => Response>): Promise<string[]> {
  const imp = { id: '1', status: 'AWAITING_UPLOAD', upload: 'http://intray.test/upload/1', direct_upload: 'http://intray.test/upload/1/direct/' };
  const responses: Record<string, () => Response> = {
    'POST intray.test/api/v1/headless/imports/': () => Response.json(imp, { status: 201 }),
    'POST intray.test/upload/1/direct/ {"size":9437184}': () =>
      Response.json({ url: 'http://bucket.test/x', headers: { 'If-None-Match': '*' }, commit: 'http://intray.test/upload/1/commit/' }, { status: 201 }),
    'PUT bucket.test/x': () => new Response('', { headers: { ETag: '"e"' } }),
    'POST intray.test/upload/1/commit/ {"etag":"\\"e\\""}': () => new Response(null, { status: 204 }),
    'PUT intray.test/upload/1': () => new Response(),
    ...changes,
  };
  const requests: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { host, pathname } = new URL(request.url);
    const body = await request.arrayBuffer();
    const shown = pathname.startsWith('/upload/') && request.method === 'POST' ? ` ${new TextDecoder().decode(body)}` : '';
    requests.push(`${request.method} ${host}${pathname}${shown}`);
    if (request.method === 'PUT') assert.equal(body.byteLength, 9437184);
    assert.equal(request.headers.get('If-None-Match'), host === 'bucket.test' ? '*' : null);
    assert.equal(request.headers.has('X-Service-License-Key'), pathname.startsWith('/api/'));
    return responses[requests.at(-1)!]!();
  };
  await new Intray({ server: 'http://intray.test', key: 'bk_test', fetch }).startImport('1', new Blob([new Uint8Array(9 << 20)]));
  return requests.slice(1).map((request) => request.split(' ', 2).join(' '));
}

const create = 'POST intray.test/upload/1/direct/';
const put = 'PUT bucket.test/x';
const commit = 'POST intray.test/upload/1/commit/';
const server = 'PUT intray.test/upload/1';

test('a large file is sent directly to the bucket', async () => {
  assert.deepEqual(await direct({}), [create, put, commit]);
});

test('if the bucket cannot be used, the server receives the file', async () => {
  assert.deepEqual(await direct({ [`${create} {"size":9437184}`]: () => respond('409 no_direct_uploads') }), [create, server]);
  for (const answer of ['lost', '403', '412', '500']) {
    assert.deepEqual(await direct({ [put]: () => respond(answer) }), [create, put, server], answer);
  }
  assert.deepEqual(await direct({ [`${commit} {"etag":"\\"e\\""}`]: () => respond('409 wrong_etag') }), [create, put, commit, server]);
});

test('a commit is repeated', async () => {
  const answers = ['lost', '503 after 0', '204'];
  const repeated = await direct({ [`${commit} {"etag":"\\"e\\""}`]: () => (answers[0] === '204' ? new Response(null, { status: 204 }) : respond(answers.shift()!)) });
  assert.deepEqual(repeated, [create, put, commit, commit, commit]);
});

test('responses of others', async () => {
  const intray = new Intray({ server: 'http://intray.test', key: 'bk_test', fetch: async () => new Response('<html>') });
  await assert.rejects(intray.startImport('1', new Blob(['x'])), { code: 'http_error', status: 200 });
});

test('delays grow', () => {
  for (let attempt = 1; attempt < maxAttempts; attempt++) {
    const delay = retryDelay('GET', new ConnectionError('http://intray.test/', undefined), attempt)!;
    const average = 500 * 2 ** (attempt - 1);
    assert.ok(delay > average / 2 && delay < average * 2, `attempt ${attempt}: ${delay}`);
  }
});

test('a signal ends waiting', async () => {
  const reason = new Error('enough');
  await assert.rejects(sleep(3_600_000, AbortSignal.abort(reason)), reason);
  const controller = new AbortController();
  const waiting = sleep(3_600_000, controller.signal);
  controller.abort(reason);
  await assert.rejects(waiting, reason);
});

test('errors of imports', () => {
  const imp = { id: '1', status: 'FAILED' } as Import;
  const errors = [
    { level: 'warning', type: 'VALUE_MAPPED', message: 'Mapped.' },
    { level: 'error', type: 'EMPTY_FILE', message: 'The file is empty.' },
  ] as Import['import_errors'];
  for (const [changes, code, message] of [
    [{ import_errors: errors }, 'EMPTY_FILE', 'Import 1 failed: The file is empty.'],
    [{ import_errors: null }, 'FAILED', 'Import 1 failed'],
    [{ import_errors: errors, status: 'NEEDS_REVIEW' }, 'NEEDS_REVIEW', 'Import 1 needs a review: The file is empty.'],
  ] as const) {
    const error = new ImportError({ ...imp, ...changes });
    assert.deepEqual([error.name, error.code, error.message], ['ImportError', code, message]);
  }
});

test('lines that arrive in pieces', async () => {
  const bytes = new TextEncoder().encode('{"a":"ä"}\n\n{}\n{"b":1}');
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const found: string[] = [];
    for await (const line of lines(pieces)) found.push(line);
    assert.deepEqual(found, ['{"a":"ä"}', '{}', '{"b":1}']);
  }
});

test('invalid options', () => {
  for (const [server, key] of [['127.0.0.1:8080', 'bk_1'], ['ftp://intray.test', 'bk_1'], ['http://intray.test', 'fk_1'], ['http://intray.test', '']]) {
    assert.throws(() => new Intray({ server: server!, key: key! }), TypeError);
  }
});
