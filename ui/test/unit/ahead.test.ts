import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Ahead } from '../../src/app/ahead';
import { Review } from '../../src/app/review';
import { openDesk } from '../../src/cells/desk';
import { everything } from '../../src/cells/filter';
import { firstRows } from '../../src/cells/first';
import { asking, facts, layout } from '../browser/scenes';

class Silent extends EventTarget {
  close(): void {}
}

/** What went to the service, and what it answers: a number is a refusal, null no answer at all. */
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

const first = `GET rows/?show=all&from=0&count=${firstRows}`;
const window = { view: 'v', total: 0, first: 0, rows: [] };
const table = { columns: [], totals: {}, undo: 0, redo: 0 };

beforeEach(() => {
  Object.assign(globalThis, { location: { origin: 'http://service' }, EventSource: Silent });
  calls = [];
  answers = { '': facts(), 'session/': facts(), 'table/': table, 'rows/': window, 'layout/': layout(), 'questions/': asking() };
});

test('a link is opened and its first rows are asked for before anybody wants them, and each call goes out once', async () => {
  const ahead = new Ahead('i1', 'secret', send);
  await ahead.begin();
  const early = ['POST session/ Bearer secret', 'GET table/', first];
  assert.deepEqual(calls, early);
  const review = new Review('i1', ahead.fetch);
  await review.open('secret');
  const desk = openDesk(review.api);
  assert.deepEqual(await Promise.all([desk.table(), desk.rows(everything, '', 0, firstRows)]), [table, window]);
  assert.deepEqual(calls, [...early, 'GET layout/', 'GET questions/']);
  await desk.table();
  assert.equal(calls.at(-1), 'GET table/', 'a second call is a call of its own');
});

test('who is quicker than the answer does not ask again, and what was never wanted is forgotten with the first change', async () => {
  const ahead = new Ahead('i1', 'secret', send);
  const begun = ahead.begin();
  const review = new Review('i1', ahead.fetch);
  await review.open('secret');
  const desk = openDesk(review.api);
  await desk.table();
  assert.deepEqual(calls.filter((call) => /table|rows/.test(call)), ['GET table/', first]);
  await begun;
  answers['edits/'] = {};
  await desk.edit({ op: 'x', kind: 'trim' });
  calls = [];
  await desk.rows(everything, '', 0, firstRows);
  assert.deepEqual(calls, [first]);
});

test('a reload goes on by the cookie', async () => {
  const ahead = new Ahead('i1', '', send);
  await ahead.begin();
  assert.deepEqual(calls, ['GET', 'GET table/', first]);
});

test('no rows are asked for where something else comes first', async () => {
  for (const other of [facts({ openQuestions: 1 }), facts({ hasRows: false }), facts({ status: 'RUNNING' }), 401, null]) {
    calls = [];
    answers['session/'] = other;
    await new Ahead('i1', 'secret', send).begin();
    assert.equal(calls.length, 1);
  }
});

test('a refusal and a lost answer are told to who opens the review', async () => {
  for (const [answer, kind] of [[401, 'unauthorized'], [404, 'gone'], [null, 'lost']] as const) {
    answers['session/'] = answer;
    const ahead = new Ahead('i1', 'secret', send);
    await ahead.begin();
    const review = new Review('i1', ahead.fetch);
    await review.open('secret');
    assert.equal(review.state.trouble?.kind, kind);
    review.fail(null);
  }
  answers = { ...answers, 'session/': facts(), 'rows/': null };
  const ahead = new Ahead('i1', 'secret', send);
  await ahead.begin();
  const desk = openDesk(new Review('i1', ahead.fetch).api);
  await assert.rejects(desk.rows(everything, '', 0, firstRows), { kind: 'lost' });
});

test('another link, and whoever comes late, get an answer of their own', async (context) => {
  const ahead = new Ahead('i1', 'secret', send);
  await ahead.begin();
  const review = new Review('i1', ahead.fetch);
  await review.open('other');
  assert.ok(calls.includes('POST session/ Bearer other'));
  const now = performance.now();
  context.mock.method(performance, 'now', () => now + 60_000);
  calls = [];
  await openDesk(review.api).table();
  assert.deepEqual(calls, ['GET table/']);
});
