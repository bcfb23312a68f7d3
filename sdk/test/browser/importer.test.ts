import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import { Site, strictPolicy, type Host } from './site.js';

let site: Site;
before(async () => void (site = await Site.open()));
after(() => site?.close());

/** Defines a test with a page. Fails if the page reports an error. */
function onPage(name: string, act: (host: Host) => Promise<void>, parameters: Record<string, string> = {}): void {
  test(name, async () => {
    const host = await site.page(parameters);
    await act(host);
    await host.close();
  });
}

const until = (host: Host, callback: string) => host.page.waitForFunction((name) => window.calls.some(([called]) => called === name), callback);
const names = (calls: any[][]) => calls.map(([name]) => name);

onPage('the frame receives the options of a saved schema in the order of the protocol', async (host) => {
  await host.create({ user: { id: 'u1' }, sessionToken: 'token', developmentMode: true, headerRowOverride: 2 });
  await host.page.evaluate(() => {
    const hook = () => undefined;
    window.importers.it!.update({
      hooks: { rows: [hook, hook], bulkRows: hook, batchRows: hook, columns: { a: hook, b: [hook, hook] }, rowDelete: hook },
      customSteps: [{ id: 's', insertAfter: 'COLUMN_MATCH', label: 'Step', url: 'https://example.com', onMessage: hook }],
      fileParsers: [{ extensions: ['ACH'], parse: () => [] }],
    });
    return window.importers.it!.open();
  });
  const child = await host.child();
  assert.deepEqual(await child.evaluate(() => window.child.calls), [
    ['setNumRegisteredRowHooks', 3],
    ['setNumRegisteredBulkRowHooks', 1],
    ['setNumRegisteredBatchRowHooks', 1],
    ['setNumRegisteredColHooks', 3],
    ['setNumRegisteredRowDeleteHooks', 1],
    ['setCustomParserFileExtensions', ['ach']],
    ['setEmbedInline', false],
    ['setCustomSteps', [{ id: 's', insertAfter: 'COLUMN_MATCH', label: 'Step', url: 'https://example.com' }]],
    ['initFromSavedSchema', 'fk_test', 'contacts', '127.0.0.1', { user: { id: 'u1' }, developmentMode: true, headerRowOverride: 2, hydrationId: 'token' }],
  ]);
});

onPage('the frame receives an inline schema', async (host) => {
  const child = await host.open({
    user: { id: 'u1' }, sessionToken: 'token', locale: 'de', theme: 'dark', headerRowOverride: 0,
    schema: {
      fields: [{ key: 'a', label: 'A', validators: [{ validate: 'regex_match', regex: /^x$/is }] }],
      settings: { importIdentifier: 'Contacts', title: 'Your contacts', matchingStep: { helpText: 'Help' } },
    },
  });
  const calls = await child.evaluate(() => window.child.calls);
  assert.deepEqual(calls.at(-1), [
    'init', 'fk_test',
    [{ key: 'a', label: 'A', validators: [{ validate: 'regex_match', regex: '^x$', regexOptions: { ignoreCase: true, dotAll: true, multiline: false, unicode: false } }] }],
    { version: 'v2', browserExcelParsing: true, importIdentifier: 'Contacts', title: 'Your contacts', locale: 'de', hydrationId: 'token', matchingStep: { helpText: 'Help', headerRowOverride: 0 } },
    { id: 'u1' }, '127.0.0.1',
  ]);
  assert.match(child.url(), /\/ok\/widget\/\?lang=de&theme=dark$/);
  await host.page.getByRole('dialog', { name: 'Your contacts' }).waitFor();
});

onPage('settings without a value are absent', async (host) => {
  const child = await host.open({ schema: { fields: [], settings: { importIdentifier: 'x' } } });
  assert.deepEqual((await child.evaluate(() => window.child.calls)).at(-1)![3], { version: 'v2', browserExcelParsing: true, importIdentifier: 'x' });
});

onPage('a frame without optional methods starts', async (host) => {
  const child = await host.open({ mode: 'small' });
  assert.deepEqual(names(await child.evaluate(() => window.child.calls)), ['initFromSavedSchema']);
});

onPage('hooks run in the page', async (host) => {
  await host.create();
  await host.page.evaluate(() => {
    window.importers.it!.update({
      hooks: {
        bulkRows: (records) => records.map(({ index }) => ({ index, row: { name: { value: `bulk ${index}` } } })),
        rows: [
          ({ row }, mode) => ({ row: { name: { value: `${row.name!.value} ${mode}`, info: [{ message: 'Changed', level: 'info' }] } } }),
          async ({ row, index }) => (index === 1 ? { row: { name: { value: `${row.name!.value}!` } } } : undefined),
        ],
        batchRows: (records, batch) => [{ index: records[0]!.index, row: { name: { value: batch } } }],
        columns: { name: (cells) => [{ index: cells[1]!.index, value: 'column' }] },
        rowDelete: ({ rowId }) => void window.calls.push(['deleted', rowId]),
        steps: {
          REVIEW_STEP: async (controls, { rawHeaders }) => {
            await controls.addField({ key: 'b', label: 'B', validators: [{ validate: 'regex_match', regex: /x/ }] }, { after: 'a' });
            window.calls.push(['step', rawHeaders, await controls.addRows([])]);
          },
        },
        beforeFinish: (rows, { filename }) => ({ cancel: true, message: `${rows.length} rows in ${filename}` }),
      },
      customSteps: [{ id: 's', insertAfter: 'COLUMN_MATCH', onMessage: (controls, payload) => (window.calls.push(['message', payload]), controls.completeCustomStep()) }],
      fileParsers: [{ extensions: ['.x', 'ach'], parse: (content, name) => [[name, content.byteLength, null]] }],
    });
    return window.importers.it!.open();
  });
  const child = await host.child();
  const results = await child.evaluate(async () => {
    const { parent } = window.child;
    const record = (index: number) => ({ index, rowId: `r${index}`, row: { name: { value: 'old', resultValue: 'old' } } });
    const step = { rawHeaders: ['H'], headerMapping: {}, fields: {} };
    return {
      rows: await parent.handleRowHooks!([record(0), record(1)], 'init'),
      batch: await parent.handleBatchRowHooks!([record(5)], 2),
      column: await parent.handleColumnHooks!('name', [{ index: 3, value: 'x', rowId: 'r3' }, { index: 7, value: 'y', rowId: 'r7' }]),
      other: await parent.handleColumnHooks!('constructor', [{ index: 3, value: 'x', rowId: 'r3' }]),
      deleted: await parent.handleRowDeleteHooks!([record(1), record(2)]),
      step: await parent.handleStepHook!('REVIEW_STEP', step),
      none: await parent.handleStepHook!('UPLOAD_STEP', step),
      hasFinish: await parent.hasBeforeFinishCallback!(),
      finish: await parent.handleBeforeFinishCallback!([{}, {}], { filename: 'a.csv' }),
      parsed: await parent.handleParseFileCallback!(new ArrayBuffer(3), 'Bank.ACH'),
      unparsed: await parent.handleParseFileCallback!(new ArrayBuffer(3), 'bank.csv'),
      custom: await parent.handleCustomStep!('s'),
      message: await parent.handleCustomStepMessage!('s', { x: 1 }),
      event: await parent.handleUserEvent!({ eventType: 'BUTTON_CLICK', payload: { buttonName: 'NEXT', step: 'UPLOAD' } }),
    };
  });
  const info = [{ message: 'Changed', level: 'info' }];
  assert.deepEqual(results, {
    rows: [{ index: 0, row: { name: { value: 'bulk 0 init', info } } }, { index: 1, row: { name: { value: 'bulk 1 init!', info } } }],
    batch: [{ index: 5, row: { name: { value: 2 } } }],
    column: [{ index: 7, value: 'column' }],
    other: [],
    deleted: undefined, step: undefined, none: undefined,
    hasFinish: true,
    finish: { cancel: true, message: '2 rows in a.csv' },
    parsed: [['Bank.ACH', '3', '']],
    unparsed: undefined, custom: undefined, message: undefined, event: undefined,
  });
  assert.deepEqual(await host.callbacks(), [
    ['deleted', 'r1'], ['deleted', 'r2'],
    ['step', ['H'], ['row-1']],
    ['message', { x: 1 }],
    ['onEvent', { eventType: 'BUTTON_CLICK', payload: { buttonName: 'NEXT', step: 'UPLOAD' } }],
  ]);
  const calls = await child.evaluate(() => window.child.calls);
  assert.deepEqual(calls.find(([name]) => name === 'addField'), [
    'addField', { key: 'b', label: 'B', validators: [{ validate: 'regex_match', regex: 'x', regexOptions: { ignoreCase: false, dotAll: false, multiline: false, unicode: false } }] }, { after: 'a' },
  ]);
  assert.equal(calls.at(-1)![0], 'completeCustomStep');
});

onPage('a hook that fails, hangs or returns nonsense has no effect', async (host) => {
  await host.create({ hookTimeout: 50 });
  await host.page.evaluate(() => {
    const nonsense: any[] = [7, 'x', {}, { row: 3 }, { row: { unknown: { value: 1 } } }, { row: { name: 'x' } }, { row: { name: { info: 'x' } } }, { row: { name: { value: () => 1 } } },
      { row: { name: { value: 'half' }, many: { value: 1 } } }];
    window.importers.it!.update({
      hooks: {
        bulkRows: [() => new Promise(() => undefined), () => 'x' as any, () => [{ index: 99, row: {} }], () => { throw new Error('bulk'); }],
        rows: [...nonsense.map((each) => () => each), () => { throw null; }, ({ row }) => ({ row: { name: { value: `${row.name!.value} good` } } })],
        columns: { name: [() => [{ index: 42, value: 1 }], () => 3 as any, () => [{ index: 0, value: 'good' }]] },
        steps: { UPLOAD_STEP: [() => { throw new Error('step'); }, () => new Promise(() => undefined), () => void window.calls.push(['reached'])] },
        rowDelete: () => { throw new Error('delete'); },
        beforeFinish: () => ({ cancel: 'maybe' }) as any,
      },
      customSteps: [{ id: 's', insertAfter: 'COLUMN_MATCH', onMessage: () => { throw new Error('message'); } }],
      fileParsers: [{ extensions: ['x'], parse: () => [7] as any }],
      onEvent: () => { throw new Error('event'); },
    });
    return window.importers.it!.open();
  });
  const child = await host.child();
  const results = await child.evaluate(async () => {
    const { parent } = window.child;
    const row = { name: { value: 'old', resultValue: 'old' }, many: { value: null, resultValue: null, manyToOne: [{ value: 1, resultValue: 1 }] } };
    return {
      rows: await parent.handleRowHooks!([{ index: 0, rowId: 'r', row }, { index: 1, rowId: 'r', row }], 'update'),
      column: await parent.handleColumnHooks!('name', [{ index: 0, value: 'x', rowId: 'r3' }]),
      step: await parent.handleStepHook!('UPLOAD_STEP', {}),
      deleted: await parent.handleRowDeleteHooks!([{ index: 0, rowId: 'r', row }]),
      finish: await parent.handleBeforeFinishCallback!([], {}),
      parsed: await parent.handleParseFileCallback!(new ArrayBuffer(3), 'a.x'),
      message: await parent.handleCustomStepMessage!('s', 1),
      event: await parent.handleUserEvent!({}),
    };
  });
  assert.deepEqual(results, {
    rows: [{ index: 0, row: { name: { value: 'old good' } } }, { index: 1, row: { name: { value: 'old good' } } }],
    column: [{ index: 0, value: 'good' }],
    step: undefined, deleted: undefined, finish: undefined, parsed: undefined, message: undefined, event: undefined,
  });
  assert.deepEqual(names(await host.callbacks()), ['reached', 'onError']);
  // One warning per hook that failed, not one per row.
  assert.equal(host.warnings.filter((text) => text.startsWith('[intray] rows failed in 2 of 2 calls')).length, 10);
  assert.equal(host.warnings.length, 4 + 10 + 2 + 2 + 1 + 1 + 1 + 1 + 1);
});

onPage('a hook that hangs repeatedly is no longer called', async (host) => {
  await host.create({ hookTimeout: 40 });
  await host.page.evaluate(() => {
    window.importers.it!.update({ hooks: { rows: () => (window.calls.push(['row']), new Promise(() => undefined)) } });
    return window.importers.it!.open();
  });
  const child = await host.child();
  await child.evaluate(async () => {
    for (let i = 0; i < 6; i++) await window.child.parent.handleRowHooks!([{ index: 0, rowId: 'r', row: {} }], 'update');
  });
  assert.equal((await host.callbacks()).length, 3);
});

onPage('cells of a field with manyToOne are changed one by one', async (host) => {
  await host.create();
  await host.page.evaluate(() => {
    window.importers.it!.update({
      hooks: {
        rows: [
          () => ({ row: { many: { manyToOne: [undefined, { value: 'two' }] } } }),
          ({ row }) => ({ row: { many: { manyToOne: [{ info: [{ message: String(row.many!.manyToOne![1]!.value) }] }, null] } } }),
        ],
      },
    });
    return window.importers.it!.open();
  });
  const child = await host.child();
  const rows = await child.evaluate(() =>
    window.child.parent.handleRowHooks!([{ index: 0, rowId: 'r', row: { many: { value: null, resultValue: null, manyToOne: [{ value: 1 }, { value: 2 }] } } }], 'init'));
  assert.deepEqual(rows, [{ index: 0, row: { many: { manyToOne: [{ info: [{ message: 'two', level: 'error' }] }, { value: 'two' }] } } }]);
});

onPage('results close the importer when the page has stored them', async (host) => {
  await host.create();
  await host.page.evaluate(() => {
    window.importers.it!.update({
      onResults: async (rows, metadata) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        window.calls.push(['stored', rows, metadata.filename, window.importers.it!.isOpen]);
      },
    });
    return window.importers.it!.open();
  });
  const child = await host.child();
  await child.evaluate(() => window.child.parent.handleResults!([{ a: 1 }], { filename: 'a.csv' }));
  assert.deepEqual(await host.callbacks(), [['stored', [{ a: 1 }], 'a.csv', true], ['onClose', 'results']]);
  assert.equal(await host.page.locator('dialog').isVisible(), false);
  // The frame remains for a while, so that it receives the reply and can finish its work.
  await child.evaluate(() => window.child.parent.handleCloseModal!());
  assert.equal((await host.callbacks()).length, 2);
});

onPage('batches of results are collected, or delivered one by one', async (host) => {
  const send = async () => {
    await (await host.child()).evaluate(async () => {
      const { handleResultsBatch } = window.child.parent;
      await handleResultsBatch!([{ a: 1 }, { a: 2 }], null, 0, false);
      await handleResultsBatch!([{ a: 3 }], { filename: 'f' }, 1, true);
    });
  };
  await host.open();
  await send();
  assert.deepEqual(await host.callbacks(), [['onResults', [{ a: 1 }, { a: 2 }, { a: 3 }], { filename: 'f' }], ['onClose', 'results']]);
  await host.page.reload();
  await host.create();
  await host.page.evaluate(() => {
    window.importers.it!.update({ onResultsBatch: (rows, batch) => void window.calls.push(['batch', rows.length, batch]) });
    return window.importers.it!.open();
  });
  await send();
  assert.deepEqual(await host.callbacks(), [
    ['batch', 2, { index: 0, isLast: false, metadata: null }], ['batch', 1, { index: 1, isLast: true, metadata: { filename: 'f' } }], ['onClose', 'results'],
  ]);
});

onPage('an exception in onResults is reported', async (host) => {
  await host.create();
  await host.page.evaluate(() => {
    window.importers.it!.update({ onResults: () => Promise.reject(new Error('offline')) });
    return window.importers.it!.open();
  });
  await (await host.child()).evaluate(() => window.child.parent.handleResults!([], {}));
  assert.deepEqual(await host.callbacks(), [['onError', 'callback_failed', 'onResults failed.'], ['onClose', 'results']]);
});

onPage('the dialog takes the focus, makes the page inert, and gives the focus back', async (host) => {
  const { page } = host;
  await page.locator('#outside').focus();
  const child = await host.open();
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).overflow), 'hidden');
  assert.equal(await child.evaluate(() => document.hasFocus()), true);
  await page.keyboard.press('Tab');
  assert.equal(await child.evaluate(() => document.activeElement!.id), 'inside');
  // The page is inert.
  await page.evaluate(() => document.getElementById('outside')!.focus());
  assert.equal(await page.evaluate(() => document.activeElement!.id), '');
  // Escape next to the frame moves the focus into it, and does not close the importer.
  await page.mouse.click(5, 5);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog').isVisible(), true);
  assert.equal(await child.evaluate(() => document.hasFocus()), true);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as any).axe.run(document, { iframes: false }));
  assert.deepEqual(violations.map(({ id }: { id: string }) => id), []);
  await child.evaluate(() => window.child.parent.handleCancel!());
  assert.equal(await page.evaluate(() => document.activeElement!.id), 'outside');
  assert.equal(await page.evaluate(() => document.documentElement.style.overflow), '');
  assert.deepEqual(await host.callbacks(), [['onCancel'], ['onClose', 'cancel']]);
});

onPage('Escape cancels an importer that has not started', async (host) => {
  await host.create({ mode: 'silent' });
  const opening = host.page.evaluate(() => window.importers.it!.open().catch((error: any) => error.code));
  await host.page.locator('dialog').waitFor();
  await host.page.keyboard.press('Escape');
  // The focus is in the frame, so the page only sees the key after a click next to the frame.
  await host.page.mouse.click(5, 5);
  await host.page.keyboard.press('Escape');
  assert.equal(await opening, 'closed');
  assert.deepEqual(await host.callbacks(), [['onCancel'], ['onClose', 'cancel']]);
});

onPage('Escape closes a dialog of the page above the importer only', async (host) => {
  await host.open();
  await host.page.evaluate(() => {
    const dialog = document.createElement('dialog');
    dialog.append(document.createElement('button'));
    document.body.append(dialog);
    dialog.onclose = () => void window.calls.push(['closed']);
    dialog.showModal();
  });
  await host.page.keyboard.press('Escape');
  await until(host, 'closed');
  assert.deepEqual(await host.callbacks(), [['closed']]);
  assert.equal(await host.page.evaluate(() => window.importers.it!.isOpen), true);
});

onPage('scrolling and styles of the page are restored', async (host) => {
  await host.page.evaluate(() => {
    document.documentElement.style.setProperty('overflow', 'scroll', 'important');
    document.documentElement.style.setProperty('scrollbar-gutter', 'auto');
  });
  await host.open();
  await host.page.evaluate(() => {
    document.documentElement.style.setProperty('--theme', 'dark');
    window.importers.it!.close();
  });
  assert.equal(await host.page.evaluate(() => document.documentElement.style.cssText), 'overflow: scroll !important; scrollbar-gutter: auto; --theme: dark;');
});

onPage('a strict content security policy allows the importer', async (host) => {
  await host.open();
  assert.deepEqual(await host.page.evaluate(() => {
    const { width, height } = document.querySelector('body > div:last-of-type')!.shadowRoot!.querySelector('iframe')!.getBoundingClientRect();
    return [width, height];
  }), [1216, 656]);
}, { policy: strictPolicy });

onPage('hostile styles of the page do not affect the dialog', async (host) => {
  await host.open();
  const box = await host.page.locator('dialog').boundingBox();
  assert.deepEqual(box, { x: 0, y: 0, width: 1280, height: 720 });
  assert.deepEqual(await host.page.locator('dialog iframe').boundingBox(), { x: 32, y: 32, width: 1216, height: 656 });
  await host.page.setViewportSize({ width: 400, height: 700 });
  assert.deepEqual(await host.page.locator('dialog iframe').boundingBox(), { x: 0, y: 0, width: 400, height: 700 });
}, { hostile: '' });

onPage('patched prototypes do not affect the importer', async (host) => {
  const { page } = host;
  // Scripts of the test cannot run in this page, because they need the prototypes, too.
  const child = await host.child();
  const rows = await child.evaluate(() => window.child.parent.handleRowHooks!([{ index: 0, rowId: 'r', row: { a: { value: 1 } } }], 'init'));
  assert.deepEqual(rows, [{ index: 0, row: { a: { value: 2 } } }]);
  assert.deepEqual(await child.evaluate(() => window.child.parent.handleParseFileCallback!(new ArrayBuffer(1), 'a.x')), [['1']]);
  assert.deepEqual(names(await child.evaluate(() => window.child.calls)).at(-1), 'init');
  await child.evaluate(() => window.child.parent.handleResults!([{ a: 2 }], {}));
  assert.equal(await page.title(), 'Stored 1');
}, { script: 'patched-page' });

onPage('an importer can be opened again and has a new frame', async (host) => {
  await host.open();
  await host.page.evaluate(() => {
    window.importers.it!.close();
    return window.importers.it!.open();
  });
  const child = await host.child();
  assert.equal((await child.evaluate(() => window.child.calls)).filter(([name]) => name === 'initFromSavedSchema').length, 1);
  assert.equal(await host.page.locator('iframe').count(), 1);
  // Opening an open importer does nothing.
  await host.page.evaluate(() => window.importers.it!.open());
  assert.equal(await host.page.locator('iframe').count(), 1);
  await host.page.evaluate(() => window.importers.it!.destroy());
  assert.equal(await host.page.locator('iframe').count(), 0);
  assert.equal(await host.page.evaluate(() => window.importers.it!.open().catch((error: any) => error.code)), 'invalid_options');
  assert.deepEqual(names(await host.callbacks()), ['onClose', 'onClose', 'onError', 'onClose']);
});

onPage('a frame that is reloaded receives the options again', async (host) => {
  const child = await host.open();
  await child.evaluate(() => location.reload());
  await host.page.waitForTimeout(200);
  const again = await host.child();
  assert.equal((await again.evaluate(() => window.child.calls)).filter(([name]) => name === 'initFromSavedSchema').length, 1);
  await again.evaluate(() => window.child.parent.handleResults!([], {}));
  assert.deepEqual(names(await host.callbacks()), ['onResults', 'onClose']);
});

onPage('several importers do not affect each other', async (host) => {
  await host.create({ schema: 'one' }, 'one');
  await host.create({ schema: 'two' }, 'two');
  await host.page.evaluate(async () => {
    await window.importers.one!.mount(document.getElementById('app')!);
    await window.importers.two!.open();
  });
  const [first, second] = [await host.child(0), await host.child(1)];
  assert.deepEqual((await first.evaluate(() => window.child.calls)).at(-1)!.slice(0, 3), ['initFromSavedSchema', 'fk_test', 'one']);
  assert.deepEqual((await first.evaluate(() => window.child.calls)).find(([name]) => name === 'setEmbedInline'), ['setEmbedInline', true]);
  assert.deepEqual((await second.evaluate(() => window.child.calls)).at(-1)!.slice(0, 3), ['initFromSavedSchema', 'fk_test', 'two']);
  await second.evaluate(() => window.child.parent.handleCloseModal!());
  assert.deepEqual(await host.page.evaluate(() => [window.importers.one!.isOpen, window.importers.two!.isOpen]), [true, false]);
  assert.deepEqual(await host.callbacks(), [['onClose', 'close']]);
});

onPage('an inline importer fills its element and does not take the focus', async (host) => {
  await host.page.locator('#outside').focus();
  await host.create();
  await host.page.evaluate(() => {
    document.getElementById('app')!.style.height = '600px';
    return window.importers.it!.mount(document.getElementById('app')!);
  });
  assert.equal((await host.page.locator('#app iframe').boundingBox())!.height, 600);
  assert.equal(await host.page.evaluate(() => document.activeElement!.id), 'outside');
  assert.equal(await host.page.evaluate(() => document.documentElement.style.overflow), '');
});

onPage('removing the frame closes the importer', async (host) => {
  await host.open();
  await host.page.evaluate(() => document.body.lastElementChild!.remove());
  await until(host, 'onClose');
  assert.deepEqual(await host.callbacks(), [['onError', 'frame_removed', 'The page removed the importer. Call close() instead.'], ['onClose', 'error']]);
  assert.equal(await host.page.evaluate(() => document.documentElement.style.overflow), '');
});

/** Opens an importer that fails, and returns the code and the message of the error. */
async function failure(host: Host, options: Parameters<Host['create']>[0]): Promise<string[]> {
  const responds = ['old', 'revoked', 'broken'].includes(options?.mode ?? '');
  await host.create({ connectTimeout: responds ? 20_000 : 1_500, ...options });
  const code = await host.page.evaluate(() => window.importers.it!.open().then(() => 'none', (error: any) => error.code));
  const [error, close] = await host.callbacks();
  assert.deepEqual([error![0], error![1], close], ['onError', code, ['onClose', 'error']]);
  assert.equal(await host.page.locator('dialog').count(), 0);
  assert.equal(host.warnings.length, 1);
  host.problems.length = 0; // The browser reports the refused frame.
  return error!.slice(1);
}

const codes: [name: string, mode: string, code: string, text: RegExp][] = [
  ['a server that refuses the page', 'refused', 'origin_refused', /add http:\/\/127.0.0.1:\d+ to the allowed origins/],
  ['a page that is not an importer', 'silent', 'origin_refused', /Check "server"/],
  ['a page with another protocol', 'strange', 'protocol_mismatch', /http:\/\/127.0.0.1:\d+ is not a compatible importer/],
  ['a redirect to another origin', 'moved', 'protocol_mismatch', /^http:\/\/localhost:\d+ is not a compatible importer/],
  ['an importer without the required method', 'old', 'protocol_mismatch', /update the server or this package/],
  ['a revoked key', 'revoked', 'key_refused', /Use a frontend key.*\(revoked on Monday\)/],
  ['an importer that fails to start', 'broken', 'init_failed', /failed to start\. \(out of order\)/],
];
for (const [name, mode, code, text] of codes) {
  onPage(`${name} is reported as ${code}`, async (host) => {
    const [got, message] = await failure(host, { mode });
    assert.equal(got, code);
    assert.match(message!, text);
  });
}

onPage('a server that cannot be reached is reported as network', async (host) => {
  await host.create({ connectTimeout: 300 });
  await host.page.evaluate(() => window.importers.it!.update({ server: 'http://127.0.0.1:9' }));
  await host.page.evaluate(() => window.importers.it!.open().catch(() => undefined));
  assert.equal((await host.callbacks())[0]![1], 'network');
  host.problems.length = 0;
});

onPage('a policy without frame-src is reported at once', async (host) => {
  const start = Date.now();
  const [code, message] = await failure(host, { connectTimeout: 20_000 });
  assert.equal(code, 'frame_blocked');
  assert.match(message!, /Add http:\/\/127.0.0.1:\d+ to frame-src/);
  assert.ok(Date.now() - start < 5_000);
}, { policy: "default-src 'none'; script-src 'self'" });

onPage('a policy that forbids requests does not hide a refused page', async (host) => {
  assert.equal((await failure(host, { mode: 'refused' }))[0], 'origin_refused');
}, { policy: strictPolicy });

onPage('missing options and functions in options are reported', async (host) => {
  for (const changes of [{ key: '' }, { schema: '' }, { server: 'http://' }]) {
    await host.create(changes);
    await host.page.evaluate((changes) => {
      window.importers.it!.update(changes as any);
      return window.importers.it!.open().catch(() => undefined);
    }, changes);
  }
  await host.page.evaluate(() => {
    window.importers.it!.update({ server: location.origin, key: 'k', schema: 's' });
  });
  const calls = await host.callbacks();
  assert.deepEqual(calls.map(([name, code]) => [name, code]), Array(3).fill([['onError', 'invalid_options'], ['onClose', 'error']]).flat());
  await host.create({});
  await host.page.evaluate(() => {
    window.calls.length = 0;
    window.importers.it!.update({ schema: { fields: [{ key: 'a', label: 'A', description: (() => 'x') as any }], settings: { importIdentifier: 'x' } } });
    return window.importers.it!.open().catch(() => undefined);
  });
  assert.equal((await host.callbacks())[0]![1], 'invalid_options');
});

onPage('messages of other windows and origins are ignored', async (host) => {
  await host.create({ mode: 'silent', connectTimeout: 1_000 });
  const code = await host.page.evaluate(async (server) => {
    const opening = window.importers.it!.open().catch((error: any) => error.code);
    const forged = [{ penpal: 'syn' }, { penpal: 'ack', methodNames: ['initFromSavedSchema'] }, { penpal: 'call', id: 1, methodName: 'handleCancel', args: [] }, null, 7, { penpal: {} }];
    // This window, and another frame of the same server.
    for (const message of forged) window.postMessage(message, '*');
    const other = document.createElement('iframe');
    other.src = `${server}/ok/widget/`;
    document.body.append(other);
    return opening;
  }, site.server);
  assert.equal(code, 'origin_refused');
});

onPage('the frame cannot call what is not offered', async (host) => {
  const child = await host.open();
  const messages = await child.evaluate(async () => {
    const origins: unknown[] = [];
    const ask = (methodName: string) => new Promise((resolve) => {
      addEventListener('message', ({ data }) => data.id === `x-${methodName}` && resolve([data.resolution, data.returnValue.message]));
      parent.postMessage({ penpal: 'call', id: `x-${methodName}`, methodName, args: [] }, '*');
    });
    for (const name of ['constructor', '__proto__', 'open']) origins.push(await ask(name));
    return origins;
  });
  assert.deepEqual(messages, ['constructor', '__proto__', 'open'].map((name) => ['rejected', `There is no method ${name}.`]));
});

onPage('the element opens the importer and dispatches events', async (host) => {
  const { page } = host;
  await page.evaluate((server) => {
    window.calls = [];
    const element = document.createElement('intray-importer');
    element.setAttribute('server', `${server}/ok`);
    element.setAttribute('key', 'fk_test');
    element.setAttribute('schema', 'contacts');
    const button = document.createElement('button');
    button.textContent = 'Import';
    element.append(button);
    element.user = { id: 'u1' };
    element.hooks = { rows: () => undefined };
    for (const name of ['cancel', 'error', 'userevent', 'close'] as const) element.addEventListener(name, (event: any) => void window.calls.push([name, event.detail]));
    element.addEventListener('results', ({ detail }) => {
      window.calls.push(['results', detail.rows]);
      detail.waitUntil(new Promise((resolve) => setTimeout(resolve, 100)).then(() => window.calls.push(['stored'])));
    });
    document.getElementById('app')!.append(element);
  }, site.server);
  await page.getByRole('button', { name: 'Import' }).click();
  let child = await host.child();
  const calls = await child.evaluate(() => window.child.calls);
  assert.deepEqual(calls[0], ['setNumRegisteredRowHooks', 1]);
  assert.deepEqual(calls.at(-1), ['initFromSavedSchema', 'fk_test', 'contacts', '127.0.0.1', { user: { id: 'u1' } }]);
  await child.evaluate(() => window.child.parent.handleUserEvent!({ eventType: 'x' }));
  await child.evaluate(() => window.child.parent.handleResults!([{ a: 1 }], {}));
  assert.deepEqual(await host.callbacks(), [['userevent', { eventType: 'x' }], ['results', [{ a: 1 }]], ['stored'], ['close', 'results']]);
  // A property overrides the attribute, and applies when the importer is opened again.
  await page.evaluate(() => {
    const element = document.querySelector('intray-importer')!;
    element.schema = { fields: [], settings: { importIdentifier: 'x' } };
    window.calls.length = 0;
    return element.open();
  });
  child = await host.child(1);
  assert.equal((await child.evaluate(() => window.child.calls)).at(-1)![0], 'init');
  // Removing the element closes the importer.
  await page.evaluate(() => document.querySelector('intray-importer')!.remove());
  await host.page.waitForFunction(() => window.calls.length > 0);
  assert.deepEqual(await host.callbacks(), [['close', 'close']]);
});

onPage('an inline element contains the importer', async (host) => {
  await host.page.evaluate((server) => {
    const element = document.createElement('intray-importer');
    for (const [name, value] of Object.entries({ server: `${server}/ok`, key: 'fk_test', inline: '' })) element.setAttribute(name, value);
    document.getElementById('app')!.append(element);
    element.schema = 'contacts';
  }, site.server);
  const child = await host.child();
  assert.deepEqual((await child.evaluate(() => window.child.calls)).at(-1)!.slice(0, 3), ['initFromSavedSchema', 'fk_test', 'contacts']);
  assert.equal(await host.page.locator('intray-importer iframe').count(), 1);
  await host.page.evaluate(() => document.querySelector('intray-importer')!.remove());
  assert.equal(await host.page.locator('iframe').count(), 0);
});
