import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Fault } from '../../src/api';
import { checkFile, problemOfStart } from '../../src/import/check-file';
import { LinkEndpoint } from '../../src/import/endpoint';
import { fileOfText } from '../../src/import/drop';
import { inLanguage } from '../../src/import/expected-fields';
import { formatDuration, formatSize } from '../../src/import/sizes';
import { templateText } from '../../src/import/template';
import { RateMeter, type uploadFile } from '../../src/import/upload';
import { Visit } from '../../src/import/visit';
import { chooseLocale } from '../../src/i18n/locale';

const bytes = (...parts: (string | readonly number[])[]) => Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...part].map((one) => one.charCodeAt(0)) : [...part])));
const wide = (text: string) => [...text].flatMap((one) => [one.charCodeAt(0), 0]);
const ole = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

test('files that cannot be imported are recognized by their first bytes', () => {
  const cases: [string, Uint8Array, string | null][] = [
    ['PDF', bytes('%PDF-1.7'), 'pdf'],
    ['PNG', bytes([0x89], 'PNG\r\n'), 'image'],
    ['JPEG', bytes([0xff, 0xd8, 0xff, 0xe0]), 'image'],
    ['GIF', bytes('GIF89a'), 'image'],
    ['RTF', bytes('{\\rtf1'), 'document'],
    ['DOCX', bytes('PK', [3, 4, 20, 0, 0, 0], 'xxword/document.xml'), 'document'],
    ['DOC', bytes(ole, wide('WordDocument')), 'document'],
    ['protected XLSX', bytes(ole, wide('Root Entry'), wide('EncryptedPackage')), 'encrypted'],
    ['encrypted ZIP', bytes('PK', [3, 4, 20, 0, 1, 0]), 'encrypted'],
    ['XLSX', bytes('PK', [3, 4, 20, 0, 0, 0], 'xl/workbook.xml'), null],
    ['XLS', bytes(ole, wide('Workbook')), null],
    ['CSV', bytes('a,b\n1,2\n'), null],
    ['a single byte', bytes('P'), null],
  ];
  for (const [name, head, want] of cases) assert.equal(problemOfStart(head), want, name);
});

test('files are refused for their size and name, too', async () => {
  assert.equal(await checkFile(new File([], 'a.csv'), 10), 'empty');
  assert.equal(await checkFile(new File(['12345678901'], 'a.csv'), 10), 'tooLarge');
  assert.equal(await checkFile(new File(['user'], '~$a.xlsx'), 10), 'lockFile');
  assert.equal(await checkFile(new File(['1234567890'], 'a.csv'), 10), null);
});

test('only text with several cells is a table', () => {
  for (const text of ['', ' \n', 'word', 'two words']) assert.equal(fileOfText(text), null, text);
  for (const text of ['a\tb', 'a\nb', 'a\r\nb\r\n']) assert.equal(fileOfText(text)?.name, 'pasted.txt', text);
});

test('a template is CSV that a spreadsheet opens and does not run', () => {
  assert.equal(templateText(['Name', 'Größe, "cm"', '=cmd()', '-']), '\ufeffName,"Größe, ""cm""",\'=cmd(),\'-\r\n');
});

test('sizes and durations are in the language of the page', () => {
  const en = chooseLocale('en', []), de = chooseLocale('de', []);
  const plain = (text: string) => text.replaceAll(/\s/g, ' ');
  assert.deepEqual([0, 1023, 1024, 1.5 * 1024 ** 2, 1024 ** 3].map((n) => plain(formatSize(en, n))), ['0 bytes', '1,023 bytes', '1 kB', '1.5 MB', '1 GB']);
  assert.equal(plain(formatSize(de, 1.5 * 1024 ** 2)), '1,5 MB');
  assert.deepEqual([0.2, 40, 100, 7200].map((n) => plain(formatDuration(en, n))), ['1 second', '40 seconds', '2 minutes', '2 hours']);
});

test('the rate of an upload is that of the last seconds', () => {
  const meter = new RateMeter();
  assert.equal(meter.add(0, 0), 0);
  assert.equal(meter.add(1000, 400), 0, 'too early to tell');
  assert.equal(meter.add(2000, 1000), 2000);
  for (let second = 2; second <= 20; second++) meter.add(2000 + second * 10, second * 1000);
  assert.ok(Math.abs(meter.add(2210, 21_000) - 10) < 1);
});

test('texts are shown in the language of the page', () => {
  const texts = { de: 'Name', 'pt-BR': 'Nome' };
  assert.deepEqual(['de', 'de-AT', 'pt-BR', 'pt', 'en'].map((tag) => inLanguage(tag, texts, 'Label')), ['Name', 'Name', 'Nome', 'Nome', 'Label']);
});

const page = { session: 's1', linkId: 'l', title: 'T', text: '', company: '', contact: '', accentColor: '', returnUrl: '', logoUrl: '', maxFileSize: 100, styleOverrides: {}, fields: [] };
const started = { id: 'i', upload: 'http://service/upload/i?token=x', reviewToken: 'r' };

/** The calls that the server received, and its responses in order. */
let calls: string[];
let answers: Record<string, [number, unknown][]>;
const send = async (request: Request) => {
  const { pathname } = new URL(request.url);
  const name = `${request.method} ${pathname.split('/').slice(4).join('/')}`;
  calls.push(`${name} ${request.headers.get('authorization')} ${await request.text()}`.trim());
  const list = answers[name] ?? [];
  const [status, body] = (list.length > 1 ? list.shift() : list[0]) ?? [0, null];
  if (status === 0) throw new TypeError('failed to fetch');
  return Response.json(body, { status });
};
const refusal = (code: string) => ({ detail: 'No.', code });

class Storage extends Map<string, string> {
  getItem = (key: string) => this.get(key) ?? null;
  setItem = (key: string, value: string) => void this.set(key, value);
  removeItem = (key: string) => void this.delete(key);
}

beforeEach(() => {
  Object.assign(globalThis, { location: { origin: 'http://service' }, localStorage: new Storage(), sessionStorage: new Storage() });
  calls = [];
  answers = { 'POST session/': [[200, page]], 'POST imports/': [[201, started]] };
});

const uploads: typeof uploadFile = async (_, file, onProgress) => onProgress({ sent: file.size, total: file.size, rate: 1, lost: false });
const csv = () => new File(['a,b\n'], 'list.csv');

test('a file is sent with the session of the link, and its review follows', async () => {
  const visit = new Visit(new LinkEndpoint('token', send), uploads);
  await visit.open();
  assert.equal(visit.state.phase, 'ready');
  await visit.send(csv());
  assert.deepEqual(calls, ['POST session/ Bearer token {}', 'POST imports/ Bearer s1 {"original_filename":"list.csv"}']);
  assert.equal(visit.state.phase, 'review');
  assert.equal(visit.state.current?.token, 'r');
  // A reload of the tab continues the review; another tab lists it.
  const reloaded = new Visit(new LinkEndpoint('token', send), uploads);
  await reloaded.open();
  assert.deepEqual([reloaded.state.phase, reloaded.state.current?.id], ['review', 'i']);
  sessionStorage.clear();
  const other = new Visit(new LinkEndpoint('token', send), uploads);
  await other.open();
  assert.deepEqual([other.state.phase, other.state.earlier.map((one) => one.name)], ['ready', ['list.csv']]);
  await reloaded.startOver(true);
  assert.deepEqual([reloaded.state.phase, reloaded.state.earlier], ['ready', []]);
});

test('a refused file, a failed upload and a cancelled one lead back to the start', async () => {
  let act: typeof uploadFile = async () => { throw new Fault('lost'); };
  const visit = new Visit(new LinkEndpoint('token', send), (...given) => act(...given));
  await visit.open();
  await visit.send(new File(['%PDF-1.7'], 'scan.pdf'));
  assert.deepEqual([visit.state.phase, visit.state.refusal, calls.length], ['ready', { name: 'scan.pdf', problem: 'pdf' }, 1]);
  await visit.send(csv());
  assert.deepEqual([visit.state.phase, (visit.state.refusal?.problem as Fault).kind], ['ready', 'lost']);
  act = (_, __, ___, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))));
  const sending = visit.send(csv());
  while (calls.length < 3) await new Promise((done) => setImmediate(done));
  await new Promise((done) => setImmediate(done));
  visit.cancelUpload();
  await sending;
  assert.deepEqual([visit.state.phase, visit.state.refusal], ['ready', null]);
  act = uploads;
  await visit.send(csv());
  assert.equal(visit.state.phase, 'review');
});

test('a session that has expired is opened again', async () => {
  const visit = new Visit(new LinkEndpoint('token', send), uploads);
  await visit.open();
  answers = { 'POST session/': [[200, { ...page, session: 's2' }]], 'POST imports/': [[403, refusal('expired')], [201, started]] };
  await visit.send(csv());
  assert.deepEqual(calls.slice(1).map((call) => call.split(' {')[0]), ['POST imports/ Bearer s1', 'POST session/ Bearer token', 'POST imports/ Bearer s2']);
  assert.equal(visit.state.phase, 'review');
});

test('a protected link asks for its password until it is right', async () => {
  answers = { ...answers, 'POST session/': [[403, refusal('password_required')], [403, refusal('wrong_password')], [429, refusal('too_many_requests')], [200, page]] };
  const visit = new Visit(new LinkEndpoint('token', send), uploads);
  await visit.open();
  assert.deepEqual([visit.state.phase, visit.state.wrongPassword], ['password', false]);
  await visit.open('wrong');
  assert.deepEqual([visit.state.phase, visit.state.wrongPassword], ['password', true]);
  await assert.rejects(visit.open('again'), (error) => error instanceof Fault);
  assert.equal(visit.state.phase, 'password');
  await visit.open('right');
  assert.equal(visit.state.phase, 'ready');
  assert.equal(calls.at(-1), 'POST session/ Bearer token {"password":"right"}');
});

test('a link that cannot be opened says why', async () => {
  for (const [status, code] of [[403, 'expired'], [403, 'bad_signature'], [409, 'link_used_up'], [0, '']] as const) {
    answers['POST session/'] = [[status, refusal(code)]];
    const visit = new Visit(new LinkEndpoint('token', send), uploads);
    await visit.open();
    assert.deepEqual([visit.state.phase, visit.state.trouble?.code], ['trouble', code]);
  }
});

test('without storage, nothing is remembered and everything else works', async () => {
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get: () => { throw new DOMException('', 'SecurityError'); } });
  const visit = new Visit(new LinkEndpoint('token', send), uploads);
  await visit.open();
  await visit.send(csv());
  assert.deepEqual([visit.state.phase, visit.state.earlier], ['review', []]);
  Reflect.deleteProperty(globalThis, 'localStorage');
});
