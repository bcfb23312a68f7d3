import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Fault } from '../../src/api';
import { LinkEndpoint } from '../../src/import/endpoint';
import { isSameFile, UnfinishedUploads } from '../../src/import/unfinished';
import { uploadFile, type UploadProgress } from '../../src/import/upload';
import { Visit } from '../../src/import/visit';

const url = 'http://service/upload/i?token=x';
const mebibyte = 1 << 20;

/** A server of resumable uploads. Its connections can break. */
class FakeServer {
  /** Received bytes by the number of the upload. */
  uploads: number[] = [];
  length = 0;
  calls: string[] = [];
  /** How the next PATCH requests end, for example 'lost' after half of their bytes. */
  endings: ('lost' | 'lostResponse' | 'refused' | 'busy')[] = [];
  down = 0;
  refuseCreation = false;
  /** How the bucket answers: with an ETag, without one that the page can read, with an error, or not at all. */
  bucket: 'stores' | 'hidesETag' | 'refuses' | 'lost' | 'silent' = 'stores';
  /** The responses to the next commits; by default, they succeed. */
  commits: ('lost' | 'busy' | 'refused')[] = [];

  fetch = async (input: string, { method, headers, body }: RequestInit): Promise<Response> => {
    const { pathname } = new URL(input);
    this.calls.push(pathname === '/upload/i' ? method! : `${method} ${pathname} ${body}`);
    if (this.down-- > 0) throw new TypeError('failed to fetch');
    if (pathname.endsWith('/direct/')) {
      if (this.refuseCreation) return Response.json({ detail: 'No.', code: 'no_direct_uploads' }, { status: 409 });
      return Response.json({ url: 'http://bucket/file?signature=x', headers: { 'If-None-Match': '*' }, commit: 'http://service/upload/i/commit/?token=c' }, { status: 201 });
    }
    if (pathname.endsWith('/commit/')) {
      const answer = this.commits.shift();
      if (answer === 'lost') throw new TypeError('failed to fetch');
      if (answer) return Response.json({ detail: 'No.', code: answer }, { status: answer === 'busy' ? 503 : 409 });
      return new Response(null, { status: 204 });
    }
    if (method === 'POST') {
      if (this.refuseCreation) return Response.json({ detail: 'The upload URL has expired.', code: 'expired' }, { status: 403 });
      this.length = Number((headers as Record<string, string>)['Upload-Length']);
      this.uploads.push(0);
      return new Response(null, { status: 201, headers: { Location: `/upload/i?token=${this.uploads.length - 1}` } });
    }
    const received = this.uploads[number(input)];
    return received === undefined ? new Response(null, { status: 404 }) : new Response(null, { status: 200, headers: { 'Upload-Offset': String(received) } });
  };

  /** Receives a chunk. Returns the status, or 0 if the connection is lost. */
  patch(address: string, offset: number, size: number): number {
    this.calls.push(`PATCH ${offset} +${size}`);
    const at = number(address);
    if (this.uploads[at] !== offset) return 409;
    const ending = this.endings.shift();
    if (ending === 'refused') return 413;
    if (ending === 'busy') return 423;
    this.uploads[at] = offset + (ending === 'lost' ? Math.floor(size / 2) : size);
    return ending ? 0 : 204;
  }
}

const number = (address: string) => Number(new URL(address).searchParams.get('token'));

let server: FakeServer;

class FakeRequest {
  upload: { onprogress?: (event: { loaded: number }) => void } = {};
  status = 0;
  responseText = '';
  onload = () => {};
  onerror = () => {};
  onabort = () => {};
  onloadend = () => {};
  #address = '';
  #headers: Record<string, string> = {};
  #aborted = false;

  open(_: string, address: string) {
    this.#address = address;
  }
  setRequestHeader(name: string, value: string) {
    this.#headers[name] = value;
  }
  abort() {
    this.#aborted = true;
    this.onabort();
    this.onloadend();
  }
  send(chunk: Blob) {
    setImmediate(() => {
      if (this.#aborted) return;
      if (this.#address.startsWith('http://bucket/')) return this.#sendToBucket(chunk);
      this.upload.onprogress?.({ loaded: Math.floor(chunk.size / 2) });
      if (this.#aborted) return;
      this.status = server.patch(this.#address, Number(this.#headers['Upload-Offset']), chunk.size);
      this.responseText = this.status === 204 ? '' : JSON.stringify({ detail: 'No.', code: this.status === 409 ? 'wrong_offset' : 'other' });
      if (this.status === 0) this.onerror();
      else this.onload();
      this.onloadend();
    });
  }
  #sendToBucket(file: Blob) {
    server.calls.push(`PUT to the bucket +${file.size} ${JSON.stringify(this.#headers)}`);
    if (server.bucket === 'silent') return;
    this.upload.onprogress?.({ loaded: Math.floor(file.size / 2) });
    if (this.#aborted) return;
    this.status = server.bucket === 'refuses' ? 403 : 200;
    if (server.bucket === 'lost') this.onerror();
    else this.onload();
    this.onloadend();
  }
  getResponseHeader(name: string) {
    if (name === 'ETag') return server.bucket === 'hidesETag' ? null : '"e"';
    return String(server.uploads[number(this.#address)]);
  }
}

class Storage extends Map<string, string> {
  getItem = (key: string) => this.get(key) ?? null;
  setItem = (key: string, value: string) => void this.set(key, value);
  removeItem = (key: string) => void this.delete(key);
}

beforeEach(() => {
  server = new FakeServer();
  const events = new EventTarget();
  Object.assign(globalThis, {
    fetch: server.fetch, XMLHttpRequest: FakeRequest, localStorage: new Storage(), sessionStorage: new Storage(), location: { origin: 'http://service' },
    addEventListener: events.addEventListener.bind(events), removeEventListener: events.removeEventListener.bind(events), dispatchEvent: events.dispatchEvent.bind(events),
  });
});

/** Goes online as soon as the upload waits, so that tests need not wait. */
const impatient = ({ lost }: UploadProgress) => lost && void setTimeout(() => dispatchEvent(new Event('online')), 5);

async function upload(size: number, options = {}, onProgress: (progress: UploadProgress) => void = impatient): Promise<void> {
  await uploadFile(url, new Blob([new Uint8Array(size)]), onProgress, new AbortController().signal, options);
}

test('a small file is sent in one chunk, and a large one in several', async () => {
  await upload(5);
  assert.deepEqual(server.calls, ['POST', 'PATCH 0 +5']);
  server.calls = [];
  await upload(20 * mebibyte);
  assert.deepEqual(server.calls, ['POST', `PATCH 0 +${8 * mebibyte}`, `PATCH ${8 * mebibyte} +${8 * mebibyte}`, `PATCH ${16 * mebibyte} +${4 * mebibyte}`]);
  assert.deepEqual([server.length, server.uploads], [20 * mebibyte, [5, 20 * mebibyte]]);
});

const direct = { direct: 'http://service/upload/i/direct/?token=x' };
const large = 20 * mebibyte;
const directCalls = [`POST /upload/i/direct/ {"size":${large}}`, `PUT to the bucket +${large} {"If-None-Match":"*"}`, 'POST /upload/i/commit/ {"etag":"\\"e\\""}'];
const resumableCalls = ['POST', `PATCH 0 +${8 * mebibyte}`, `PATCH ${8 * mebibyte} +${8 * mebibyte}`, `PATCH ${16 * mebibyte} +${4 * mebibyte}`];

test('a large file is sent directly to the bucket if the server allows that', async () => {
  const progress: UploadProgress[] = [];
  await upload(large, direct, (one) => progress.push(one));
  assert.deepEqual(server.calls, directCalls);
  assert.deepEqual(progress.map(({ sent, total, lost }) => [sent, total, lost]), [[large / 2, large, false]]);
  server.calls = [];
  await upload(8 * mebibyte, direct);
  assert.deepEqual(server.calls, ['POST', `PATCH 0 +${8 * mebibyte}`], 'a file that needs only one request');
});

test('if the bucket cannot be used, the server receives the file', async (context) => {
  const debug = context.mock.method(console, 'debug', () => {});
  for (const bucket of ['hidesETag', 'refuses', 'lost'] as const) {
    server = Object.assign(new FakeServer(), { bucket });
    globalThis.fetch = server.fetch as typeof fetch;
    await upload(large, direct);
    assert.deepEqual(server.calls, [...directCalls.slice(0, 2), ...resumableCalls], bucket);
  }
  server = Object.assign(new FakeServer(), { refuseCreation: true });
  globalThis.fetch = server.fetch as typeof fetch;
  await assert.rejects(upload(large, direct), (error) => error instanceof Fault && error.code === 'expired');
  assert.deepEqual(server.calls, [directCalls[0], 'POST']);
  assert.equal(debug.mock.callCount(), 4);
});

test('if the bucket does not answer, the server receives the file', async (context) => {
  context.mock.method(console, 'debug', () => {});
  context.mock.timers.enable({ apis: ['setTimeout'] });
  server.bucket = 'silent';
  const sent = upload(large, direct);
  while (server.calls.length < 2) await new Promise((done) => setImmediate(done));
  context.mock.timers.tick(15_000);
  await sent;
  assert.deepEqual(server.calls, [...directCalls.slice(0, 2), ...resumableCalls]);
});

test('a commit is repeated until the server answers', async (context) => {
  const debug = context.mock.method(console, 'debug', () => {});
  server.commits = ['lost', 'busy'];
  const progress: UploadProgress[] = [];
  await upload(large, direct, (one) => {
    progress.push(one);
    impatient(one);
  });
  assert.deepEqual(server.calls, [...directCalls, directCalls[2], directCalls[2]]);
  assert.deepEqual(progress.filter(({ lost }) => lost).map(({ sent }) => sent), [large, large]);
  server.calls = [];
  server.commits = ['refused'];
  await upload(large, direct);
  assert.deepEqual(server.calls, [...directCalls, ...resumableCalls]);
  assert.equal(debug.mock.callCount(), 1);
});

test('a direct upload can be cancelled', async () => {
  const abort = new AbortController();
  const sent = uploadFile(url, new Blob([new Uint8Array(large)]), () => abort.abort(), abort.signal, direct);
  await assert.rejects(sent, { name: 'AbortError' });
  assert.deepEqual(server.calls, directCalls.slice(0, 2));
});

test('an interrupted upload continues at the server', async () => {
  server.uploads = [16 * mebibyte];
  await upload(large, { ...direct, resume: 'http://service/upload/i?token=0' });
  assert.deepEqual(server.calls, ['HEAD', `PATCH ${16 * mebibyte} +${4 * mebibyte}`]);
});

test('after a loss of the connection, the upload continues where the server is', async () => {
  server.endings = ['lost', 'busy', 'lostResponse'];
  const progress: UploadProgress[] = [];
  let losses = 0;
  await upload(10, {}, (one) => {
    progress.push(one);
    impatient(one);
    if (one.lost && losses++ === 0) server.down = 1; // the server is not back at once
  });
  assert.deepEqual(server.calls.filter((call) => call.startsWith('PATCH')), ['PATCH 0 +10', 'PATCH 5 +5', 'PATCH 5 +5']);
  assert.equal(server.uploads[0], 10, 'the last response was lost, but the file is complete');
  assert.ok(progress.some(({ lost }) => lost));
  assert.ok(progress.every(({ sent, total }) => sent <= total && total === 10));
});

test('an upload that the server no longer has begins again', async () => {
  const begun: string[] = [];
  await upload(10, { resume: 'http://service/upload/i?token=7', onBegun: (address: string) => void begun.push(address) });
  assert.deepEqual(server.calls, ['HEAD', 'POST', 'PATCH 0 +10']);
  assert.deepEqual(begun, ['http://service/upload/i?token=0']);
});

test('a refusal ends the upload', async () => {
  server.endings = ['refused'];
  await assert.rejects(upload(10), (error) => error instanceof Fault && error.kind === 'refused' && error.status === 413);
  server.refuseCreation = true;
  await assert.rejects(upload(10), (error) => error instanceof Fault && error.code === 'expired');
});

test('a cancelled upload ends, while it sends and while it waits', async () => {
  for (const ending of ['sends', 'waits']) {
    const abort = new AbortController();
    server.endings = ['lost', 'lost', 'lost'];
    const sending = uploadFile(url, new Blob(['0123456789']), ({ sent, lost }) => {
      if (ending === 'waits' ? lost : sent > 0) setTimeout(() => abort.abort());
    }, abort.signal);
    await assert.rejects(sending, { name: 'AbortError' });
  }
});

test('a file that can no longer be read ends the upload', async () => {
  server.endings = ['lost'];
  const file = new Blob(['0123456789']);
  let readable = true;
  const slice = file.slice.bind(file);
  file.slice = (...range) => {
    const part = slice(...range);
    if (!readable) part.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotReadableError'));
    return part;
  };
  await assert.rejects(uploadFile(url, file, ({ lost }) => void (readable = !lost), new AbortController().signal), { name: 'NotReadableError' });
});

const page = { session: 's1', linkId: 'l', title: 'T', text: '', company: '', contact: '', accentColor: '', returnUrl: '', logoUrl: '', maxFileSize: 100, styleOverrides: {}, fields: [] };
let imports = 0;
let onImport = () => {};
const send = async (request: Request) => {
  if (request.url.endsWith('session/')) return Response.json(page);
  onImport();
  return Response.json({ id: `i${imports++}`, upload: url, reviewToken: 'r' }, { status: 201 });
};
const csv = (text = 'a,b\n1,2\n', name = 'list.csv') => new File([text], name, { lastModified: 1 });

/** Opens the page and sends a file until the page is closed after its first bytes. */
async function interrupted(): Promise<void> {
  imports = 0;
  const visit = new Visit(new LinkEndpoint('token', send), (to, file, show, signal, options) => new Promise(() => {
    options?.onBegun?.('http://service/upload/i?token=0');
    server.uploads = [4];
    const now = Date.now;
    Date.now = () => now() + 2000;
    show({ sent: 4, total: file.size, rate: 0, lost: false });
    Date.now = now;
    void [to, signal];
  }));
  await visit.open();
  void visit.send(csv());
  await new Promise((done) => setTimeout(done, 20));
}

async function reopened(): Promise<Visit> {
  const visit = new Visit(new LinkEndpoint('token', send));
  await visit.open();
  return visit;
}

// In Node, Web Locks would be held by the page that was closed.
Object.defineProperty(globalThis, 'navigator', { configurable: true, value: {} });

test('after a reload, the same file continues its upload', async () => {
  await interrupted();
  const visit = await reopened();
  assert.deepEqual([visit.state.phase, visit.state.unfinished?.name, visit.state.unfinished?.sent], ['ready', 'list.csv', 4]);
  await visit.send(csv());
  assert.deepEqual(server.calls, ['HEAD', 'PATCH 4 +4']);
  assert.deepEqual([visit.state.phase, visit.state.current?.id, imports], ['review', 'i0', 1]);
  assert.equal((await reopened()).state.unfinished, null);
});

test('another file, or a new start, begins another upload', async () => {
  for (const file of [csv('a,b\n1,3,\n'), csv('a,b\n1,2\n', 'other.csv'), new File(['a,b\n1,2\n'], 'list.csv', { lastModified: 2 })]) {
    sessionStorage.clear();
    await interrupted();
    const visit = await reopened();
    assert.equal(isSameFile(file, visit.state.unfinished!), false);
    await visit.send(file);
    assert.deepEqual([visit.state.phase, visit.state.current?.id], ['review', 'i1']);
  }
  sessionStorage.clear();
  await interrupted();
  const visit = await reopened();
  visit.forgetUnfinished();
  assert.equal(visit.state.unfinished, null);
  await visit.send(csv());
  assert.equal(visit.state.current?.id, 'i1');
});

test('an upload that the server refuses to continue begins with another import', async () => {
  await interrupted();
  const visit = await reopened();
  server.uploads = [];
  server.refuseCreation = true;
  onImport = () => void (server.refuseCreation = false); // the upload URL of the new import is valid
  await visit.send(csv());
  assert.deepEqual([visit.state.phase, visit.state.current?.id], ['review', 'i1']);
});

test('unfinished uploads expire, and damaged records are ignored', async () => {
  await interrupted();
  const key = 'intray.unfinished.l';
  const stored = JSON.parse(localStorage.getItem(key)!) as object;
  for (const record of [JSON.stringify({ ...stored, at: Date.now() - 25 * 3600 * 1000 }), JSON.stringify({ ...stored, started: null }), '{', '[]', 'null']) {
    localStorage.setItem(key, record);
    assert.equal(await new UnfinishedUploads('l').load(), null, record);
  }
});

test('an upload that another tab is sending is not offered', async () => {
  await interrupted();
  Object.assign(navigator, { locks: { request: (_: string, __: object, work: (lock: null) => unknown) => Promise.resolve(work(null)) } });
  assert.equal((await reopened()).state.unfinished, null);
  Object.assign(navigator, { locks: { request: () => Promise.reject(new DOMException('no', 'SecurityError')) } });
  assert.equal((await reopened()).state.unfinished?.name, 'list.csv');
});
