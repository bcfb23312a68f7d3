// These tests need a server: INTRAY_URL and INTRAY_KEY. The tests in test/generators put a proxy in
// front of it, which refuses the first attempt of each request and loses the response to the second.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { ApiError, ImportError, Intray, verifyWebhook, type Import, type ImportDraft, type Progress, type WebhookMessage } from '@intray/client';

const server = process.env.INTRAY_URL;
const options = { skip: !server && 'SKIPPED: INTRAY_URL is not set', timeout: 60_000 };
const intray = new Intray({ server: server ?? 'http://127.0.0.1', key: process.env.INTRAY_KEY ?? 'bk_' });

const draft: ImportDraft = {
  fields: [
    { key: 'name', label: 'Name' },
    { key: 'born', label: 'Born', type: 'date' },
  ],
  settings: { invalidDataBehavior: 'BLOCK_SUBMIT' },
};

const file = (text: string, name: string) => new File([text], name);

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

describe('with a server', { concurrency: true }, () => {
  test('import a file with a saved schema', options, async () => {
    const { data: schema } = await intray.api.createSchema({ body: { name: 'JavaScript', fields: draft.fields!, settings: draft.settings! } });
    const progress: Progress[] = [];
    const text = 'Name,Born\nAnna,1990-04-03\nBela,\n';
    const imported = await intray.importFile(schema.id, new TextEncoder().encode(text), { name: 'saved.csv', onProgress: (p) => progress.push(p) });
    assert.deepEqual(progress[0], { status: 'AWAITING_UPLOAD', sentBytes: text.length, totalBytes: text.length });
    assert.deepEqual(progress.at(-1), { status: 'SUCCESSFUL' });
    interface Person {
      name: string;
      born: string | null;
    }
    assert.deepEqual(await collect(intray.rows<Person>(imported.id)), [{ name: 'Anna', born: '1990-04-03' }, { name: 'Bela', born: null }]);
    assert.equal(await (await intray.download(imported.id, 'csv')).text(), 'name,born\nAnna,1990-04-03\nBela,\n');
  });

  test('an import with the same key continues', options, async () => {
    const again = () => intray.importFile(draft, file('Name,Born\nAnna,\n', 'again.csv'), { idempotencyKey: 'js-again' });
    assert.equal((await again()).id, (await again()).id);
  });

  test('a failed import', options, async () => {
    const failed: unknown = await intray.importFile(draft, file('', 'failed.csv')).catch((error) => error);
    assert.ok(failed instanceof ImportError && failed.code === 'EMPTY_FILE', String(failed));
    await assert.rejects(collect(intray.rows(failed.import.id)), { code: 'not_finished' });
  });

  test('a review', options, async () => {
    const text = 'Name,Born\nAnna,03/04/1990\n';
    const failed: unknown = await intray.importFile(draft, file(text, 'review.csv')).catch((error) => error);
    assert.ok(failed instanceof ImportError && failed.code === 'NEEDS_REVIEW', String(failed));
    assert.match(failed.import.review_url, /\/review\//);
    const answer = async ({ id }: Import) => {
      const { data } = await intray.api.getQuestions({ path: { id } });
      const answers = Object.fromEntries(data.questions.map((question) => [question.id, question.choices[0]!.value]));
      await intray.api.answerQuestions({ path: { id }, body: { answers } });
    };
    const imported = await intray.waitForImport(failed.import.id, { onReview: answer });
    assert.equal(imported.status, 'SUCCESSFUL');
  });

  test('errors have codes', options, async () => {
    await assert.rejects(intray.api.getImport({ path: { id: '00000000-0000-0000-0000-000000000000' } }), { code: 'not_found', status: 404 });
    const invalid: unknown = await intray.importFile({ fields: [{ key: '', label: 'Name' }] }, file('x', 'invalid.csv')).catch((error) => error);
    assert.ok(invalid instanceof ApiError && invalid.code === 'invalid' && invalid.status === 400, String(invalid));
    assert.ok(invalid.body?.field_messages?.fields);
    assert.match(invalid.message, /fields\[0\]\.key/);
    const large = file('Name\n'.repeat(1 << 20), 'large.csv');
    await assert.rejects(intray.importFile({ ...draft, settings: { maxFileSize: 1000 } }, large), { code: 'file_too_large' });
  });

  test('a signal ends an import', options, async () => {
    const signal = AbortSignal.timeout(10);
    await assert.rejects(intray.importFile(draft, file('Name,Born\n'.repeat(100_000), 'ended.csv'), { signal }), { name: 'TimeoutError' });
  });

  test('a webhook', options, async (t) => {
    let secret = '';
    let accept = (_: Promise<WebhookMessage>) => {};
    const received = new Promise<WebhookMessage>((resolve) => (accept = resolve));
    const receiver = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const body = Buffer.concat(parts);
      await assert.rejects(verifyWebhook(secret, request.headers, Buffer.concat([body, Buffer.from(' ')])), { code: 'invalid_signature' });
      accept(verifyWebhook(secret, request.headers, body));
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    t.after(() => receiver.close());
    const { data: webhook } = await intray.api.createWebhook({
      body: {
        url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
        events: ['import_completed'],
        import_identifiers: ['js-webhook'],
      },
    });
    secret = webhook.secret!;
    const settings = { ...draft.settings, importIdentifier: 'js-webhook' };
    const started = await intray.startImport({ ...draft, settings }, file('Name,Born\nAnna,\n', 'webhook.csv'));
    const message = await received;
    assert.ok(message.event === 'import_completed' && message.data.headless?.id === started.id);
  });
});
