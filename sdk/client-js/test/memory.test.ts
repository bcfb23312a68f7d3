import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Intray } from '@intray/client';

test('a file is not kept in memory', async (t) => {
  const size = 256 << 20;
  const folder = await mkdtemp(join(tmpdir(), 'intray-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'large.csv');
  const file = await open(path, 'w');
  await file.truncate(size);
  await file.close();

  let received = 0;
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      const upload = `http://${request.headers.host}/upload`;
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ id: '1', upload }));
      return;
    }
    assert.equal(request.headers['content-length'], String(size));
    request.on('data', (chunk) => (received += chunk.length));
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());

  let most = 0;
  const intray = new Intray({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'bk_test' });
  await intray.startImport('1', await openAsBlob(path), {
    onProgress: () => (most = Math.max(most, process.memoryUsage().arrayBuffers)),
  });
  assert.equal(received, size);
  assert.ok(most < size / 2, `${most} bytes`);
});
