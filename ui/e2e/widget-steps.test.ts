import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { FrameLocator } from 'playwright-core';
import { closeEnvironment, environmentTest } from './environment';
import { choose, csv, fields, frontendKey, inline, openProduct, settings, submit, type Handed } from './product';

// What pages add to the importer: steps, file formats, texts and limits.

after(closeEnvironment);

const twoRows = 'Name,E-Mail\nAnna,anna@example.org\nBen,ben@example.org\n';
const both = [{ name: 'Anna', email: 'anna@example.org' }, { name: 'Ben', email: 'ben@example.org' }];
const open = 'Import contacts';

const withSteps = inline.replace('return uploader', `
  handed.messages = [];
  uploader.registerCustomStep({ id: 'plan', insertAfter: 'HEADER_SELECT', label: 'Choose a plan', url: given.step, onMessage: (instance, payload) => { handed.messages.push(payload); } });
  uploader.registerCustomStep({ id: 'terms', insertAfter: 'COLUMN_MATCH', label: 'Accept the terms', url: given.step, onMessage: (instance) => instance.completeCustomStep() });
  return uploader`);

environmentTest('a page adds steps, which are pages in frames of their own', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, withSteps.replaceAll('given.step', "(location.origin.replace('localhost', '127.0.0.1') + '/step')"), { key: frontendKey, fields, settings });
  await page.getByRole('button', { name: open }).click();
  await choose(widget, 'contacts.csv', twoRows);
  const inStep: FrameLocator = widget.frameLocator('.custom-step iframe');
  await inStep.getByText('stepId=plan&stepLabel=Choose').waitFor();
  assert.equal(await inStep.getByText('reached the importer').count(), 0);
  assert.equal(await widget.getByRole('button', { name: 'Fix' }).isDisabled(), true, 'the rows are closed until all steps are complete');
  await inStep.getByRole('button', { name: 'Tell' }).click();
  await inStep.getByRole('button', { name: 'Onward' }).click();
  await inStep.getByText('stepId=terms').waitFor();
  await inStep.getByRole('button', { name: 'Return' }).click();
  await widget.getByRole('heading', { name: 'column' }).first().waitFor();
  await widget.getByRole('button', { name: 'Continue', exact: true }).click();
  await inStep.getByRole('button', { name: 'Tell' }).click(); // the page completes the step
  await widget.getByText('All 2 rows are ready').waitFor();
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const { results, messages } = (await handed()) as Handed & { messages: unknown[] };
  assert.deepEqual(results[0]!.data, both);
  assert.deepEqual(messages, [{ plan: 'large' }]);
});

environmentTest('invalid steps are refused', async (environment) => {
  for (const [step, reason] of [
    [{ id: 'a', insertAfter: 'NOWHERE', url: 'https://example.org' }, 'cannot be inserted after NOWHERE'],
    [{ id: 'a', insertAfter: 'HEADER_SELECT', url: 'javascript:alert(1)' }, 'is not valid'],
    [{ id: 'a', insertAfter: 'HEADER_SELECT', url: `${environment.service.address}/in/x` }, 'must have a different origin'],
  ] as const) {
    const { page } = await openProduct(environment, inline.replace('return uploader', 'uploader.registerCustomStep(given.step); return uploader'), { key: frontendKey, fields, settings, step });
    const message = await page.evaluate(() => (globalThis as unknown as { uploader: { open(): Promise<void> } }).uploader.open().then(() => '', (error: Error) => error.message));
    assert.ok(message.includes(reason), message);
    await page.context().close();
  }
});

environmentTest('a page reads file formats that the server does not know', async (environment) => {
  const parsers = inline.replace('return uploader', `
    uploader.registerFileParser({ extensions: ['CARDS', 'json'], parseFile: async (buffer, name) => {
      const text = new TextDecoder().decode(buffer);
      if (text.includes('broken')) throw new Error('broken file');
      if (text.includes('nonsense')) return 'nonsense';
      return text.trim().split('|').map((line) => line.split('/'));
    } });
    return uploader`);
  const { page, widget, handed } = await openProduct(environment, parsers, { key: frontendKey, fields, settings });
  await page.getByRole('button', { name: open }).click();
  for (const content of ['broken', 'nonsense']) {
    await choose(widget, `${content}.cards`, content);
    await widget.getByText(`“${content}.cards” can’t be uploaded`).waitFor();
    await widget.getByText('We couldn’t read this file').waitFor();
  }
  await choose(widget, 'people.json', 'Name/E-Mail|An"na, Ms/anna@example.org|Ben/ben@example.org');
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const [{ data, metadata }] = (await handed()).results as [Handed['results'][number]];
  assert.deepEqual(data, [{ name: 'An"na, Ms', email: 'anna@example.org' }, both[1]]);
  assert.equal(metadata.filename, 'people.json');
});

environmentTest('people type rows instead of sending a file, and buttons are reported', async (environment) => {
  const events = inline.replace('return uploader', `
    handed.events = [];
    uploader.onUserEvent(({ eventType, payload }) => { handed.events.push([eventType, payload.buttonName, payload.step].join(' ')); });
    return uploader`);
  const { page, widget, handed } = await openProduct(environment, events, { key: frontendKey, fields, settings });
  await page.getByRole('button', { name: open }).click();
  await widget.getByRole('button', { name: 'Enter rows' }).click();
  await widget.getByLabel('Name, row 1').fill('Anna');
  await page.keyboard.press('Tab');
  await page.keyboard.type('anna@example.org');
  await page.keyboard.press('Enter');
  await widget.getByLabel('Name, row 2').evaluate((input) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'Ben\tben@example.org\r\n');
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await widget.getByRole('button', { name: 'Continue with 2 rows' }).click();
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const { results, events: reported } = (await handed()) as Handed & { events: string[] };
  assert.deepEqual(results[0]!.data, both);
  assert.equal(results[0]!.metadata.filename, null);
  assert.deepEqual(reported, ['BUTTON_CLICK ENTER_DATA UPLOAD', 'BUTTON_CLICK CONTINUE UPLOAD', 'BUTTON_CLICK CONTINUE REVIEW', 'BUTTON_CLICK FINISH REVIEW']);
});

environmentTest('a page can require or forbid typed rows', async (environment) => {
  for (const [setting, file, rows] of [['manualInputOnly', 0, 0], ['manualInputDisabled', 1, 0]] as const) {
    const { page, widget } = await openProduct(environment, inline, { key: frontendKey, fields, settings: { ...settings, [setting]: true } });
    await page.getByRole('button', { name: open }).click();
    await widget.getByRole('heading', { name: 'Upload your file' }).waitFor();
    assert.equal(await widget.locator('.drop').count(), file, setting);
    assert.equal(await widget.getByRole('button', { name: 'Enter rows' }).count(), rows, setting);
    assert.equal(await widget.getByLabel('Name, row 1').count(), 1 - file, setting);
    await page.context().close();
  }
});

environmentTest('a page sets the texts, the template, the sheet and what people may do with rows', async (environment) => {
  const { page, widget } = await openProduct(environment, inline, { key: frontendKey, fields, settings: {
    ...settings, allowEmptySubmit: false, templateDownloadFilename: 'people.csv', invalidDataBehavior: 'REMOVE_INVALID_ROWS',
    uploadStep: { helpText: 'Send us your contacts.', sheetOverride: 'People' }, matchingStep: { helpText: 'Check the columns.' },
    reviewStep: { helpText: 'Fix the addresses.', allowAddingRows: false, allowRemovingRows: false },
  } });
  await page.getByRole('button', { name: open }).click();
  await widget.getByText('Send us your contacts.').waitFor();
  const download = page.waitForEvent('download');
  await widget.getByRole('button', { name: 'CSV template' }).click();
  assert.equal((await download).suggestedFilename(), 'people.csv');
  await choose(widget, 'contacts.csv', csv.replace('Anna,anna@example.org\n', ''));
  await widget.getByText('Fix the addresses.').waitFor();
  await widget.getByRole('button', { name: 'More' }).click();
  await widget.getByRole('menuitem', { name: 'Download the row' }).waitFor();
  assert.equal(await widget.getByRole('menuitem', { name: 'Add a row' }).count(), 0);
  await page.keyboard.press('Escape');
  assert.equal(await widget.getByRole('button', { name: 'Delete' }).count(), 0);
  await widget.getByRole('button', { name: /Columns/ }).click();
  await widget.getByText('Check the columns.').waitFor();
  await widget.getByRole('button', { name: /Fix/ }).click();
  await widget.locator('.fix-continue').click();
  await widget.getByText('Submit at least one row.').waitFor();
  assert.equal(await widget.getByRole('button', { name: /^Submit|^Leave out/ }).count(), 0);
});

environmentTest('a page passes a file', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline.replace('given.settings,', "{ ...given.settings, initialFile: new File([given.csv], 'own.csv') },"), { key: frontendKey, fields, settings, csv: twoRows });
  await page.getByRole('button', { name: open }).click();
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const [{ data, metadata }] = (await handed()).results as [Handed['results'][number]];
  assert.deepEqual([data, metadata.filename], [both, 'own.csv']);
});

environmentTest('with MAPPINGS_ONLY, decisions remain and data does not', async (environment) => {
  const importIdentifier = `people-${Math.random()}`;
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings: { ...settings, importIdentifier, backendSyncMode: 'MAPPINGS_ONLY' } });
  await page.getByRole('button', { name: open }).click();
  await choose(widget, 'contacts.csv', 'qzx,wvu,E-Mail\ncanary-anna,1,anna@example.org\n');
  await widget.getByRole('radio', { name: /qzx/ }).first().click();
  await widget.getByRole('button', { name: 'Continue', exact: true }).click();
  await submit(widget, 'Submit 1 row');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await handed()).results[0]!.data, [{ name: 'canary-anna', email: 'anna@example.org' }]);
  const learned = JSON.stringify(await environment.service.call('GET', `/api/v1/headless/memory/?import_identifier=${importIdentifier}`));
  assert.match(learned, /qzx/i);
  assert.doesNotMatch(learned, /canary/);
  assert.deepEqual((await environment.service.call<{ data: unknown[] }>('GET', '/api/v1/uploads/')).data, []);
});

environmentTest('our own client has the same steps, formats and events', async (environment) => {
  const own = `
    handed.events = [];
    const importer = Intray.createImporter({
      server: given.server, key: given.key, schema: { fields: given.fields, settings: given.settings },
      customSteps: [{ id: 'plan', insertAfter: 'SELECT_MATCH', label: 'Plan', url: location.origin.replace('localhost', '127.0.0.1') + '/step', onMessage: (controls) => controls.completeCustomStep() }],
      fileParsers: [{ extensions: ['cards'], parse: (content) => new TextDecoder().decode(content).split('|').map((line) => line.split('/')) }],
      onEvent: ({ payload }) => { handed.events.push(payload.buttonName); },
      onResults: (data, metadata) => { handed.results.push({ data, metadata }); },
      onError: (error) => { handed.error = error.message; },
    });
    document.getElementById('open').onclick = () => importer.open();`;
  const { page, widget, handed } = await openProduct(environment, own, { server: environment.service.address, key: frontendKey, fields, settings });
  await page.getByRole('button', { name: open }).click();
  await choose(widget, 'people.cards', 'Name/E-Mail|Anna/anna@example.org|Ben/ben@example.org');
  await widget.frameLocator('.custom-step iframe').getByRole('button', { name: 'Tell' }).click();
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const { results, events } = (await handed()) as Handed & { events: string[] };
  assert.deepEqual(results[0]!.data, both);
  assert.deepEqual(events, ['CONTINUE', 'FINISH']);
});

environmentTest('typed rows survive a refused call, a paste that is too wide, and files that are dropped', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings });
  await page.getByRole('button', { name: open }).click();
  await widget.getByRole('button', { name: 'Enter rows' }).click();
  await widget.getByLabel('Name, row 1').fill('Anna');
  await widget.getByLabel('Email, row 1').fill('anna@example.org');
  const paste = (text: string, selector: string) => widget.locator(selector).first().evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
  await paste('a\tb\tc\n', '[data-cell="1 0"]');
  await widget.getByText('The pasted cells have 3 columns, but there is only room for 2.').waitFor();
  await paste('Name\tE-Mail\nX\tx@example.org\n', '.enter h1, .enter th'); // outside of a cell
  await page.route('**/api/widget/v1/imports/', (route) => route.abort(), { times: 1 });
  await widget.getByRole('button', { name: 'Continue with 1 row' }).click();
  await widget.getByText('The rows couldn’t be sent').waitFor();
  assert.equal(await widget.getByLabel('Name, row 1').inputValue(), 'Anna');
  // A table that is too long to be shown is sent at once.
  await paste(Array.from({ length: 400 }, (_, n) => `Person ${n}\tp${n}@example.org\n`).join(''), '[data-cell="1 0"]');
  await widget.getByText('All 401 rows are ready').waitFor();
  await submit(widget, 'Submit 401 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const [{ data }] = (await handed()).results as [Handed['results'][number]];
  assert.deepEqual([data.length, data[0], data[400]!.name], [401, { name: 'Anna', email: 'anna@example.org' }, 'Person 399']);
});

environmentTest('a page lets all columns become fields', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings: { ...settings, reviewStep: { autoCreateUnmappedColumns: true } } });
  await page.getByRole('button', { name: open }).click();
  await choose(widget, 'contacts.csv', 'Name,E-Mail,Fax\nAnna,anna@example.org,7\nBen,ben@example.org,7\n');
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await handed()).results[0]!.data, both.map((row) => ({ ...row, Fax: '7' })));
});
