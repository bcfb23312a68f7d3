import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { VNode } from 'preact';
import { bearerFetch } from '../../src/widget/bearer';
import { connectToParent, type Peer } from '../../src/widget/channel';
import { eventsOf } from '../../src/widget/event-stream';
import { readRows } from '../../src/widget/results';
import { SafeHtml } from '../../src/widget/safe-html';
import { inlineSetup, inMode, savedSetup, withField, withoutField } from '../../src/widget/setup';

/** A page that embeds the widget. It records the messages that it receives. */
class Page {
  readonly received: { message: Record<string, unknown>; origin: string }[] = [];
  readonly window = { postMessage: (message: Record<string, unknown>, origin: string) => void this.received.push({ message, origin }) } as unknown as Window;
  #listener: (event: unknown) => void = () => {};
  peer: Peer | null = null;

  constructor(methods: Record<string, (...args: never[]) => unknown> = {}) {
    mock.timers.enable({ apis: ['setInterval'] });
    Object.assign(globalThis, { addEventListener: (_: string, listener: (event: unknown) => void) => (this.#listener = listener), window: { parent: this.window } });
    connectToParent(methods, (peer) => (this.peer = peer), this.window);
  }

  send(data: unknown, origin = 'https://app.example', source: unknown = this.window): void {
    this.#listener({ data, origin, source });
  }

  open(...methodNames: unknown[]): void {
    this.send({ penpal: 'synAck', methodNames });
  }

  /** Returns the messages of a type. */
  of(type: string): Record<string, unknown>[] {
    const all = this.received.map((one) => one.message).filter((one) => one.penpal === type);
    return type === 'reply' ? all.sort((a, b) => Number(a.id) - Number(b.id)) : all;
  }

  close(): void {
    mock.timers.reset();
  }
}

const settled = () => new Promise((done) => setImmediate(done));

test('the channel opens once the page has answered, and calls both ways', async () => {
  const page = new Page({ double: (n: never) => 2 * n, fail: () => { throw new TypeError('no'); } });
  mock.timers.tick(1200);
  assert.equal(page.of('syn').length, 3, 'the first message is repeated');
  page.open('handleResults');
  mock.timers.tick(1200);
  assert.equal(page.of('syn').length, 3);
  assert.deepEqual(page.received.at(-1), { message: { penpal: 'ack', methodNames: ['double', 'fail'] }, origin: 'https://app.example' });
  page.send({ penpal: 'call', id: 7, methodName: 'double', args: [21] });
  page.send({ penpal: 'call', id: 8, methodName: 'fail', args: [] });
  await settled();
  assert.deepEqual(page.of('reply')[0], { penpal: 'reply', id: 7, resolution: 'fulfilled', returnValue: 42 });
  assert.deepEqual({ ...page.of('reply')[1], returnValue: (page.of('reply')[1]!.returnValue as Error).message }, { penpal: 'reply', id: 8, resolution: 'rejected', returnValue: 'no', returnValueIsError: true });
  const handed = page.peer!.call('handleResults', [1]);
  const [{ id, args }] = page.of('call') as [{ id: unknown; args: unknown }];
  assert.deepEqual(args, [[1]]);
  page.send({ penpal: 'reply', id, resolution: 'fulfilled', returnValue: 'thanks' });
  assert.equal(await handed, 'thanks');
  await assert.rejects(page.peer!.call('handleCancel'), /no method handleCancel/);
  page.close();
});

test('messages of other windows and origins, and malformed ones, have no effect', async () => {
  let calls = 0;
  const page = new Page({ init: () => void calls++ });
  page.send({ penpal: 'call', id: 1, methodName: 'init', args: [] }); // before the handshake
  page.send({ penpal: 'synAck', methodNames: ['handleResults'] }, 'https://evil.example', {});
  assert.equal(page.peer, null);
  page.open('handleResults', 7, null);
  page.send({ penpal: 'synAck', methodNames: [] }, 'https://evil.example'); // a second handshake
  assert.equal(page.peer!.origin, 'https://app.example');
  for (const [data, origin, source] of [
    [{ penpal: 'call', id: 2, methodName: 'init', args: [] }, 'https://evil.example', page.window],
    [{ penpal: 'call', id: 3, methodName: 'init', args: [] }, 'https://app.example', {}],
    [null, 'https://app.example', page.window], ['init', 'https://app.example', page.window], [{ penpal: 'reply', id: 99 }, 'https://app.example', page.window],
  ] as const) page.send(data, origin, source);
  for (const methodName of ['constructor', '__proto__', 'toString', 'missing', 7, {}]) page.send({ penpal: 'call', id: 4, methodName, args: [] });
  page.send({ penpal: 'call', id: 5, methodName: 'init', args: { length: 1e9 } });
  await settled();
  assert.equal(calls, 1, 'only the last call reaches a method');
  assert.deepEqual(page.of('reply').map((one) => one.resolution), ['rejected', 'rejected', 'rejected', 'rejected', 'rejected', 'rejected', 'fulfilled']);
  page.close();
});

test('the setup of the page becomes a schema for the API', () => {
  const fields = [{ key: 'a', label: 'A', description: undefined }, { key: 'b', label: 'B' }];
  const setup = inlineSetup('fk', fields, { importIdentifier: 'x', version: 'v2', browserExcelParsing: true, maxRecords: null, locale: 'pt_BR', delimiter: ';', initialData: [[1, 2, 3], [4]], matchingStep: { headerRowOverride: 2 }, uploadStep: { helpText: 'Hi' } }, { id: 7, name: 'Ada', admin: true });
  assert.deepEqual(setup, {
    key: 'fk', choice: { fields: [{ key: 'a', label: 'A' }, { key: 'b', label: 'B' }], settings: { importIdentifier: 'x' } }, user: { id: '7', name: 'Ada' },
    rows: [{ a: 1, b: 2 }, { a: 4 }], helpText: 'Hi', headerRow: 2, delimiter: ';', language: 'pt-BR', sheet: '', file: null, createsFields: false, saves: false, hydration: '', template: {},
    review: { helpTexts: { table: '', columns: '', values: '', cells: '' }, forbids: { adding: false, removing: false, submittingNone: false } },
  });
  const creating = inlineSetup('fk', fields, { reviewStep: { autoCreateUnmappedColumns: true } }, null);
  assert.deepEqual([creating.createsFields, creating.choice], [true, { fields: [{ key: 'a', label: 'A' }, { key: 'b', label: 'B' }], settings: { allowCustomFields: true } }]);
  const saving = (settings: object) => (({ saves, hydration }) => [saves, hydration])(inlineSetup('fk', fields, settings, null));
  assert.deepEqual(saving({ savePartialSession: true, backendSyncMode: 'FULL_DATA' }), [true, '']);
  assert.deepEqual(saving({ savePartialSession: true, hydrationId: 't', backendSyncMode: 'FULL_DATA' }), [true, 't']);
  assert.deepEqual(saving({ savePartialSession: true, sessionId: 's' }), [false, '']);
  assert.deepEqual(saving({ savePartialSession: true, hydrationId: 't' }), [false, '']);
  assert.deepEqual(saving({ hydrationId: 't', backendSync: true }), [true, 't']);
  assert.deepEqual(saving({ savePartialSession: false, hydrationId: 't', backendSyncMode: 'FULL_DATA' }), [false, '']);
  assert.deepEqual(savedSetup('fk', 'Contacts', { hydrationId: 't' }).hydration, 't');
  const templates = ['https://a.example/t.xlsx', 'javascript:alert(1)', 'data:text/html,x', 7].map((templateDownloadOverrideURL) => inlineSetup('fk', fields, { uploadStep: { templateDownloadOverrideURL } }, null).template.templateUrl);
  assert.deepEqual(templates, ['https://a.example/t.xlsx', undefined, undefined, undefined]);
  assert.deepEqual(savedSetup('fk', 'Contacts', { developmentMode: true, headerRowOverride: -1 }).choice, { schema: 'Contacts', development_mode: true, settings: { developmentMode: true } });
  const keys = (choice: { fields?: readonly { key: string }[] }) => choice.fields?.map((field) => field.key).join('');
  const c = { key: 'c', label: 'C' };
  assert.equal(keys(withField(setup.choice, c, undefined)), 'abc');
  assert.equal(keys(withField(setup.choice, c, { before: 'a' })), 'cab');
  assert.equal(keys(withField(setup.choice, c, { after: 'a' })), 'acb');
  assert.equal(keys(withoutField(setup.choice, 'a')), 'b');
  assert.throws(() => withField(setup.choice, c, { after: 'z' }), /no field z/);
  assert.throws(() => withoutField(inMode({ schema: 'x' }, false), 'a'), /saved schema/);
  for (const nonsense of [null, 7, 'x', [], [null], { length: 1 }]) inlineSetup(nonsense, nonsense, nonsense, nonsense);
});

/** Returns what a message of the page is shown as. */
function shown(html: string): string {
  const text = (node: unknown): string => {
    if (Array.isArray(node)) return node.map(text).join('');
    if (typeof node !== 'object' || node === null) return String(node ?? '');
    const { type, props } = node as VNode<{ children?: unknown; href?: string }>;
    return `<${String(type)}${props.href ? ` ${props.href}` : ''}>${text(props.children)}</>`;
  };
  return text((SafeHtml({ html }) as VNode<{ children: unknown }>).props.children);
}

test('only simple elements remain of the HTML of a page', () => {
  assert.equal(shown('<p>Submit <b>3 rows</b>?<br>Yes &amp; no</p>'), '<p>Submit <b>3 rows</>?<br></>Yes & no</></>'.replace('</></>', '</>'));
  assert.equal(shown('<a href="https://a.example/?x=1&amp;y=2" onclick="x()">see</a>'), '<a https://a.example/?x=1&y=2>see</>');
  for (const hostile of [
    '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<svg><script>alert(1)</script></svg>', '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<style>*{display:none}</style>', '<form action=https://evil.example><input></form>', '<!--><img src=x onerror=alert(1)>-->', '<textarea><b></textarea>',
  ]) assert.doesNotMatch(shown(hostile), /<(?!\/>)/, hostile);
  for (const href of ['javascript:alert(1)', ' java\nscript:alert(1)', '&#106;avascript:alert(1)', 'data:text/html,x', '//evil.example', 'vbscript:x']) {
    assert.equal(shown(`<a href="${href}">x</a>`), '<span>x</>', href);
  }
  assert.equal(shown('<b><i>x</b>y</i>'), '<b><i>x</></>y', 'unclosed elements are closed');
  assert.equal(shown('1 < 2 &lt; 3 &unknown; &#x1F600;'), '1 < 2 < 3 &unknown; 😀');
});

test('rows are read in batches while they arrive', async () => {
  const line = (n: number) => `${JSON.stringify({ n })}\n`;
  const text = Array.from({ length: 12_000 }, (_, n) => line(n)).join('');
  const parts = text.match(/[\s\S]{1,1000}/g)!.map((part) => new TextEncoder().encode(part));
  const send = async () => new Response(new ReadableStream({ start: (to) => { for (const part of parts) to.enqueue(part); to.close(); } }));
  const sizes: number[] = [];
  let last: Record<string, unknown> = {};
  for await (const rows of readRows(send as typeof fetch, '/r/')) {
    sizes.push(rows.length);
    last = rows.at(-1)!;
  }
  assert.deepEqual([sizes, last], [[5000, 5000, 2000], { n: 11_999 }]);
});

test('events are parsed wherever the stream is cut', async () => {
  const text = ': hello\n\nevent: state\ndata: {"a":\ndata: 1}\n\ndata: x\n\nevent: cut\ndata: y';
  for (const size of [1, 7, 1000]) {
    const parts = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g'))!;
    const body = new ReadableStream<Uint8Array>({ start: (to) => { for (const part of parts) to.enqueue(new TextEncoder().encode(part)); to.close(); } });
    const events = [];
    for await (const event of eventsOf(body)) events.push(event);
    assert.deepEqual(events, [{ type: 'state', data: '{"a":\n1}' }, { type: 'message', data: 'x' }], `${size}`);
  }
});

test('calls carry the token of the session once it is known', async () => {
  const seen: (string | null)[] = [];
  const send = bearerFetch(async (input) => {
    seen.push((input as Request).headers.get('authorization'));
    return Response.json({ session: 'token' });
  });
  await send('http://service/rows/');
  await send('http://service/session/', { method: 'POST', headers: { authorization: 'Bearer review' } });
  await send('http://service/rows/');
  assert.deepEqual(seen, [null, 'Bearer review', 'Bearer token']);
});
