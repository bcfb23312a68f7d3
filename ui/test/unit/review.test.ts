import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Fault } from '../../src/api';
import { Review } from '../../src/app/review';
import { asking, facts, layout, questions } from '../browser/scenes';

/** A fake event stream without a network. */
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static all: Stream[] = [];
  readyState = 1;
  constructor(readonly address: string) {
    super();
    Stream.all.push(this);
  }
  close(): void {
    this.readyState = Stream.CLOSED;
  }
  emit(status: string, run: number, change = 0): void {
    this.dispatchEvent(new MessageEvent('state', { data: JSON.stringify({ status, run, change, totals: null }) }));
  }
  open(): void {
    this.dispatchEvent(new Event('open'));
  }
  break(): void {
    this.dispatchEvent(new Event('error'));
  }
}

/** Responses by method and end of the path. A number is an error status; null means no response. */
let answers: Record<string, unknown>;
let calls: string[];
const fetching = async (request: Request): Promise<Response> => {
  const name = `${request.method} ${new URL(request.url).pathname.split('/').slice(5).join('/')}`;
  calls.push(`${name} ${await request.text()}`.trim());
  const answer = answers[name] ?? answers['*'];
  if (answer === null || answer === undefined) throw new TypeError('failed to fetch');
  const refused = typeof answer === 'number';
  return Response.json(refused ? { detail: 'No.', code: 'no', request_id: 'r' } : answer, { status: refused ? answer : 200 });
};
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
};
const open = async (token = 'token') => {
  const review = new Review('i1', fetching as typeof fetch);
  await review.open(token);
  return review;
};
/** Returns the server's responses for an import. */
const service = (more: Parameters<typeof facts>[0] = {}, ...asked: Parameters<typeof asking>) => ({
  'POST session/': facts(more), 'GET ': facts(more), 'GET layout/': layout(), 'GET questions/': asking(...asked),
});
const inReview = service();

beforeEach(() => {
  Object.assign(globalThis, { location: { origin: 'http://service' }, EventSource: Stream });
  Stream.all = [];
  calls = [];
  mock.timers.enable({ apis: ['setTimeout'] });
});
afterEach(() => mock.timers.reset());

test('a link opens the review, and a reload uses the cookie', async () => {
  answers = inReview;
  assert.equal((await open()).state.step, 'cells');
  assert.deepEqual(calls, ['POST session/', 'GET layout/', 'GET questions/']);
  calls = [];
  assert.equal((await open('')).state.phase, 'open');
  assert.deepEqual(calls, ['GET', 'GET layout/', 'GET questions/']);
});

test('the cells are shown before the layout is known', async () => {
  const seen: string[] = [];
  answers = inReview;
  const review = new Review('i1', fetching as typeof fetch);
  review.subscribe(() => seen.push(`${review.state.phase} ${review.state.steps.map((step) => step.id).join(' ')}`.trim()));
  await review.open('token');
  assert.deepEqual(seen, ['opening', 'open table columns cells confirm', 'open table columns cells confirm']);
  assert.equal(review.state.step, 'cells');
});

test('the layout is requested after the first rows are drawn', async () => {
  answers = inReview;
  let drawn = () => {};
  const review = new Review('i1', fetching, () => new Promise<void>((done) => (drawn = done)));
  const opened = review.open('token');
  await settle();
  assert.deepEqual([calls, review.state.step], [['POST session/'], 'cells']);
  drawn();
  await opened;
  assert.deepEqual(calls, ['POST session/', 'GET layout/', 'GET questions/']);
});

test('after damage, the import runs again and the page follows it', async () => {
  answers = { ...inReview };
  const review = await open();
  review.fail(new Fault('damaged'));
  answers = { ...inReview, 'POST run-again/': 409 };
  await assert.rejects(review.runAgain());
  assert.equal(review.state.trouble?.kind, 'damaged');
  answers = { ...inReview, 'POST run-again/': {} };
  calls = [];
  await review.runAgain(true);
  assert.equal(review.state.phase, 'open');
  assert.equal(calls[0], 'POST run-again/ {"discard":true}');
});

test('faults are reported, and only lost responses are retried', async () => {
  for (const [status, kind] of [[401, 'unauthorized'], [403, 'refused'], [404, 'gone'], [500, 'refused']] as const) {
    answers = { '*': status };
    const { state } = await open();
    assert.deepEqual([state.phase, state.trouble?.kind, state.trouble?.status], ['trouble', kind, status]);
  }
  calls = [];
  mock.timers.tick(60_000);
  await settle();
  assert.equal(calls.length, 0);
  answers = {};
  const review = await open();
  assert.equal(review.state.trouble?.kind, 'lost');
  answers = inReview;
  mock.timers.tick(4000);
  await settle();
  assert.equal(review.state.phase, 'open');
  assert.deepEqual(calls.filter((call) => call.startsWith('POST')), ['POST session/', 'POST session/']);
});

test('the page follows the import by its events', async () => {
  answers = service({ status: 'RUNNING' });
  const review = await open();
  assert.deepEqual([review.state.facts?.status, review.state.steps], ['RUNNING', []]);
  Stream.all[0]!.open();
  Stream.all[0]!.emit('RUNNING', 1);
  answers = service({ hasRows: false }, questions.born);
  Stream.all[0]!.emit('NEEDS_REVIEW', 1);
  await settle();
  assert.deepEqual([review.state.step, review.state.reading], ['columns', 0]);
  Stream.all[0]!.emit('NEEDS_REVIEW', 2);
  assert.equal(review.state.reading, 1, 'the rows are reloaded');
});

test('the page polls if no events arrive', async () => {
  answers = service({ status: 'PENDING' });
  const review = await open();
  answers = service({ status: 'SUCCESSFUL' });
  mock.timers.tick(4000);
  await settle();
  assert.equal(review.state.facts?.status, 'SUCCESSFUL');
});

test('an answer is sent, and the page continues with the next question', async () => {
  answers = service({ hasRows: false }, questions.header, questions.born);
  const review = await open();
  assert.equal(review.state.step, 'table');
  answers = { ...answers, 'POST questions/': asking(), 'GET questions/': asking({ ...questions.header, answer: '3' }, questions.born) };
  await review.answer({ header_row: '3' });
  assert.ok(calls.includes('POST questions/ {"answers":{"header_row":"3"}}'));
  assert.equal(review.state.step, 'columns');
  for (const closed of ['cells', 'confirm'] as const) {
    review.goTo(closed);
    assert.equal(review.state.step, 'columns', `${closed}: a question is open`);
  }
  review.goTo('table');
  assert.equal(review.state.step, 'table');
});

test('a rejected answer throws, and the page stays', async () => {
  answers = { ...inReview, 'POST layout/': 400 };
  const review = await open();
  await assert.rejects(review.updateLayout({ 'column:email': '9' }), { kind: 'refused', message: 'No.' });
  assert.equal(review.state.phase, 'open');
});

test('the page shows the wanted step after a run, however short the run is', async () => {
  answers = { ...inReview, 'POST layout/': layout() };
  const review = await open();
  await review.updateLayout({ derived: '[]' }, 'columns');
  assert.equal(review.state.step, 'columns', 'the run has ended before the page asks');
  answers = { ...answers, 'GET ': facts({ status: 'RUNNING' }) };
  await review.updateLayout({ derived: '[]' }, 'columns');
  assert.deepEqual(review.state.steps, []);
  answers = inReview;
  Stream.all[0]!.emit('NEEDS_REVIEW', 1);
  await settle();
  assert.equal(review.state.step, 'columns', 'the run ends later');
});

test('a lost connection is reported after a delay, until it is restored', async () => {
  answers = inReview;
  const review = await open();
  const stream = Stream.all[0]!;
  stream.open();
  stream.break();
  stream.open();
  mock.timers.tick(10_000);
  await settle();
  assert.equal(review.state.connected, true, 'a stream that reconnects at once counts as connected');
  answers = {};
  stream.break();
  mock.timers.tick(2500);
  await settle();
  assert.equal(review.state.connected, false);
  assert.equal(review.state.phase, 'open');
  answers = inReview;
  mock.timers.tick(4000);
  await settle();
  assert.equal(review.state.connected, true);
});

test('the page stays connected if only the stream fails', async () => {
  answers = inReview;
  const review = await open();
  Stream.all[0]!.readyState = Stream.CLOSED;
  Stream.all[0]!.break();
  mock.timers.tick(2500);
  await settle();
  assert.equal(review.state.connected, true);
  assert.equal(Stream.all.length, 2, 'the stream reconnects');
});

test('an expired session is reported at once', async () => {
  answers = inReview;
  const review = await open();
  answers = { '*': 401 };
  await review.refresh();
  assert.deepEqual([review.state.phase, review.state.trouble?.kind], ['trouble', 'unauthorized']);
  assert.equal(Stream.all[0]!.readyState, Stream.CLOSED);
});

test('a temporary fault does not interrupt the review', async () => {
  answers = inReview;
  const review = await open();
  answers = { '*': 500 };
  await review.refresh();
  assert.deepEqual([review.state.phase, review.state.connected], ['open', false]);
});

test('opening twice leaves one event stream', async () => {
  answers = inReview;
  const review = new Review('i1', fetching as typeof fetch);
  await Promise.all([review.open('a'), review.open('b')]);
  assert.equal(review.state.phase, 'open');
  assert.equal(Stream.all.length, 1);
  assert.equal(Stream.all.filter((stream) => stream.readyState !== Stream.CLOSED).length, 1);
});

test('the number of discarded changes is updated when the user leaves the cells step and when other users change cells', async () => {
  answers = inReview;
  const review = await open();
  Stream.all[0]!.emit('NEEDS_REVIEW', 1, 1);
  answers = { ...inReview, 'GET layout/': layout({ changes: 3 }) };
  review.goTo('columns');
  await settle();
  assert.equal(review.state.layout?.changes, 3);
  answers = { ...inReview, 'GET layout/': layout({ changes: 4 }) };
  Stream.all[0]!.emit('NEEDS_REVIEW', 1, 2);
  await settle();
  assert.deepEqual([review.state.layout?.changes, review.state.step], [4, 'columns']);
});
