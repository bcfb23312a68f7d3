import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Prefetch } from '../../src/app/prefetch';
import { Review } from '../../src/app/review';
import { createTableApi } from '../../src/cells/table-api';
import { allRows } from '../../src/cells/filter';
import { firstRows } from '../../src/cells/filter';
import { asking, facts, layout } from '../browser/scenes';

class Silent extends EventTarget {
  close(): void {}
}

/**
 * The calls that the server received, and its responses. A number is an error status; null
 * means no response.
 */
let calls: string[];
let answers: Record<string, unknown>;
const send = (async (asked: Request | string, init?: RequestInit) => {
  const request = typeof asked === 'string' ? new Request(`http://service${asked}`, init) : asked;
  const { pathname, search } = new URL(request.url);
  const call = pathname.split('/').slice(5).join('/');
  calls.push(`${request.method} ${call}${search} ${request.headers.get('authorization') ?? ''}`.trim());
  const answer = answers[call];
  if (answer === null || answer === undefined) throw new TypeError('failed to fetch');
  return typeof answer === 'number' ? Response.json({ detail: 'No.', code: 'no' }, { status: answer }) : Response.json(answer);
}) as typeof fetch;

const asked = `?rows=${firstRows}`;
const first = `GET rows/?show=all&from=0&count=${firstRows}`;
const window = { view: 'v', total: 0, first: 0, rows: [] };
const table = { columns: [], totals: {}, undo: 0, redo: 0 };

beforeEach(() => {
  Object.assign(globalThis, { location: { origin: 'http://service' }, EventSource: Silent });
  calls = [];
  answers = { '': { ...facts(), first: { table, rows: window } }, 'session/': { ...facts(), first: { table, rows: window } }, 'table/': table, 'rows/': window, 'layout/': layout(), 'questions/': asking() };
});

test('the prefetched session, table and rows are used, and no call is sent twice', async () => {
  const prefetch = new Prefetch('i1', 'secret', send);
  await prefetch.start();
  const early = [`POST session/${asked} Bearer secret`];
  assert.deepEqual(calls, early);
  const review = new Review('i1', prefetch.fetch);
  await review.open('secret');
  assert.deepEqual(review.state.facts, facts(), 'the included rows are not part of the facts');
  const tableApi = createTableApi(review.api);
  assert.deepEqual(await Promise.all([tableApi.table(), tableApi.rows(allRows, '', 0, firstRows)]), [table, window]);
  assert.deepEqual(calls, [...early, 'GET layout/', 'GET questions/']);
  await tableApi.table();
  assert.equal(calls.at(-1), 'GET table/', 'a second call is sent');
});

test('calls wait for the prefetch, and the first change discards unused responses', async () => {
  const prefetch = new Prefetch('i1', 'secret', send);
  const begun = prefetch.start();
  const review = new Review('i1', prefetch.fetch);
  await review.open('secret');
  const tableApi = createTableApi(review.api);
  await tableApi.table();
  assert.deepEqual(calls.filter((call) => /table|session|GET rows/.test(call)), [`POST session/${asked} Bearer secret`]);
  await begun;
  answers['edits/'] = {};
  await tableApi.edit({ op: 'x', kind: 'trim' });
  calls = [];
  await tableApi.rows(allRows, '', 0, firstRows);
  assert.deepEqual(calls, [first]);
});

test('a reload uses the cookie', async () => {
  const prefetch = new Prefetch('i1', '', send);
  await prefetch.start();
  await createTableApi(new Review('i1', prefetch.fetch).api).table();
  assert.deepEqual(calls, [`GET ${asked}`]);
});

test('rows are requested if the response does not include them', async () => {
  answers['session/'] = facts();
  const prefetch = new Prefetch('i1', 'secret', send);
  await prefetch.start();
  await createTableApi(new Review('i1', prefetch.fetch).api).table();
  assert.deepEqual(calls, [`POST session/${asked} Bearer secret`, 'GET table/']);
});

test('a response that is not from the server is passed on unchanged', async () => {
  const page = (async () => new Response('<p>Please sign in.</p>', { headers: { 'content-type': 'text/html' } })) as typeof fetch;
  const prefetch = new Prefetch('i1', 'secret', page);
  await prefetch.start();
  const answer = await prefetch.fetch(new Request('http://service/api/review/v1/i1/session/', { method: 'POST', headers: { authorization: 'Bearer secret' } }));
  assert.equal(await answer.text(), '<p>Please sign in.</p>');
});

test('errors and lost responses are reported when the review opens', async () => {
  for (const [answer, kind] of [[401, 'unauthorized'], [404, 'gone'], [null, 'lost']] as const) {
    answers['session/'] = answer;
    const prefetch = new Prefetch('i1', 'secret', send);
    await prefetch.start();
    const review = new Review('i1', prefetch.fetch);
    await review.open('secret');
    assert.equal(review.state.trouble?.kind, kind);
    review.fail(null);
  }
});

test('the prefetch does not answer late calls or calls of a different link', async (context) => {
  const prefetch = new Prefetch('i1', 'secret', send);
  await prefetch.start();
  const review = new Review('i1', prefetch.fetch);
  await review.open('other');
  assert.ok(calls.includes('POST session/ Bearer other'));
  const now = performance.now();
  context.mock.method(performance, 'now', () => now + 60_000);
  calls = [];
  await createTableApi(review.api).table();
  assert.deepEqual(calls, ['GET table/']);
});
