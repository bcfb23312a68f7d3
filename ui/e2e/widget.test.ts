import assert from 'node:assert/strict';
import { after } from 'node:test';
import { closeEnvironment, environmentTest } from './environment';
import { choose, csv, fields, frontendKey, inline, openProduct, settings, submit, type Handed } from './product';

// The published client, which existing products use, opens the importer unchanged.

after(closeEnvironment);

environmentTest('a page opens the importer, and receives the rows that a person has corrected', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings: { ...settings, title: 'Contacts' } });
  await page.getByRole('button', { name: 'Import contacts' }).click();
  await widget.getByRole('heading', { name: 'Contacts' }).waitFor();
  await choose(widget, 'contacts.csv', csv);
  await widget.getByText('ben@example', { exact: true }).first().dblclick();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('ben@example.org');
  await page.keyboard.press('Enter');
  await widget.getByText('All 2 rows are ready').waitFor();
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const [{ data, metadata }] = (await handed()).results as [Handed['results'][number]];
  assert.deepEqual(data, [{ name: 'Anna', email: 'anna@example.org' }, { name: 'Ben', email: 'ben@example.org' }]);
  assert.equal(metadata.filename, 'contacts.csv');
  assert.deepEqual(metadata.rawHeaders, ['Name', 'E-Mail']);
  assert.deepEqual(metadata.user, { id: '7', name: 'Ada', email: '', companyId: '', companyName: '' });
  // Nothing remains on the server.
  const uploads = await environment.service.call<{ data: unknown[] }>('GET', '/api/v1/uploads/');
  assert.deepEqual(uploads.data, []);
});

environmentTest('closing and reopening the importer starts over', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings });
  const open = page.getByRole('button', { name: 'Import contacts' });
  await open.click();
  await widget.getByRole('button', { name: 'Close the importer' }).click();
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.equal((await handed()).cancelled, 1);
  await open.click();
  await choose(widget, 'contacts.csv', csv);
  await widget.getByText('ben@example', { exact: true }).first().waitFor();
  await widget.getByRole('button', { name: 'Close the importer' }).click();
  await widget.getByRole('button', { name: 'Continue the import' }).click();
  await widget.getByRole('button', { name: 'Close the importer' }).click();
  await widget.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.equal((await handed()).cancelled, 2);
  await open.click();
  await widget.getByRole('heading', { name: 'Upload your file' }).waitFor();
});

environmentTest('a saved schema is opened by its id or name, and its data stays on the server', async (environment) => {
  const name = `Contacts ${Math.random()}`;
  const saved = await environment.service.call<{ id: string }>('POST', '/api/v1/schemas/', JSON.stringify({ name, fields, settings: { ...settings, backendSyncMode: 'FULL_DATA' } }));
  for (const schema of [saved.id, name]) {
    const { page, widget, handed } = await openProduct(environment, inline.replace('given.fields, given.settings, ', 'given.schema, '), { key: frontendKey, schema });
    await page.getByRole('button', { name: 'Import contacts' }).click();
    await choose(widget, 'contacts.csv', 'Name,E-Mail\nAnna,anna@example.org\n');
    await submit(widget, 'Submit 1 row');
    await page.locator('iframe').waitFor({ state: 'hidden' });
    const [{ data, metadata }] = (await handed()).results as [Handed['results'][number]];
    assert.deepEqual(data, [{ name: 'Anna', email: 'anna@example.org' }]);
    const stored = await environment.service.call<{ presigned_url: string }>('GET', `/api/v1/upload/${metadata.id}/url/`);
    assert.deepEqual(await (await fetch(stored.presigned_url)).json(), data);
    await page.context().close();
  }
});

environmentTest('rows that the page provides need no file, and the page can refuse to finish', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, `
    const uploader = new DromoUploader(given.key, given.fields, given.settings, {});
    let refused = 0;
    uploader.beforeFinish((rows) => (refused++ ? undefined : { cancel: true, message: 'Rows: ' + rows.map((row) => row.name).join(', ') }));
    uploader.onResults((data, metadata) => { handed.results.push({ data, metadata }); });
    uploader.initInline('place');
    return uploader;`, { key: frontendKey, fields, settings: { ...settings, initialData: [['Anna', 'anna@example.org'], ['Ben', null]] } });
  await widget.getByText('All 2 rows are ready').waitFor();
  assert.equal(await widget.getByRole('button', { name: 'Close the importer' }).count(), 0, 'it is a part of the page');
  await submit(widget, 'Submit 2 rows');
  await widget.getByText('Rows: Anna, Ben').waitFor();
  await widget.getByRole('button', { name: 'Submit 2 rows' }).click();
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await handed()).results.map((one) => one.data), [[{ name: 'Anna', email: 'anna@example.org' }, { name: 'Ben', email: null }]]);
});

environmentTest('a page that is not set up correctly shows why', async (environment) => {
  const { page, widget } = await openProduct(environment, inline, { key: frontendKey, fields, settings: { ...settings, developmentMode: false } });
  await page.getByRole('button', { name: 'Import contacts' }).click();
  await widget.getByText('has no origins, so pages may embed the importer in development mode only').waitFor();
});

environmentTest('the page can change the fields, and asks the person to confirm', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings: { ...settings, matchingStep: { headerRowOverride: 1 } } });
  await page.getByRole('button', { name: 'Import contacts' }).click();
  await widget.getByRole('row', { name: /Email/ }).waitFor();
  await page.evaluate(async () => {
    const { uploader } = globalThis as unknown as { uploader: Record<string, (...args: unknown[]) => Promise<void>> };
    await uploader.removeField!('email');
    await uploader.addField!({ key: 'city', label: 'City' }, { before: 'name' });
    await uploader.setUser!({ id: '8', name: 'Grace' });
    await uploader.setConfirmationMessage!('<p>Really <b>all</b> of them?<img src=x onerror="parent.hacked = 1"></p>', { submitButtonText: 'Yes, all', cancelButtonText: 'Wait' });
  });
  await widget.getByRole('row', { name: /City/ }).waitFor();
  assert.equal(await widget.getByRole('row', { name: /Email/ }).count(), 0);
  await choose(widget, 'contacts.csv', 'x,y\nCity,Name\nBonn,Anna\n');
  await submit(widget, 'Submit 1 row');
  await widget.getByText('Really all of them?').waitFor();
  await widget.getByRole('button', { name: 'Wait' }).click();
  await widget.getByText('You can still change the rows.').waitFor();
  await widget.getByRole('button', { name: 'Submit 1 row' }).click();
  await widget.getByRole('button', { name: 'Yes, all' }).click();
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const [{ data, metadata }] = (await handed()).results as [Handed['results'][number]];
  assert.deepEqual(data, [{ city: 'Bonn', name: 'Anna' }]);
  assert.equal((metadata.user as { name: string }).name, 'Grace');
  assert.equal(await page.evaluate(() => 'hacked' in globalThis), false);
});

const withHooks = `
  const uploader = new DromoUploader(given.key, given.fields, given.settings, { id: '7' });
  const calls = handed.calls = [];
  uploader.registerStepHook('UPLOAD_STEP', (instance, data) => { calls.push(['upload', data.filename, data.dataPreview.length]); });
  uploader.registerStepHook('REVIEW_STEP', async (instance, data) => {
    calls.push(['review', data.rawHeaders, data.headerMapping.email]);
    await instance.addField({ key: 'length', label: 'Length', type: 'number' }, { after: 'name' });
  });
  uploader.registerStepHook('REVIEW_STEP_PRE_SUBMIT', (instance, data) => { calls.push(['submit', data.headerMapping.email]); });
  uploader.registerColumnHook('email', (values) => values.map(({ index, value }) => ({ index, value: value.toLowerCase() })));
  uploader.registerBulkRowHook && uploader.registerBulkRowHook((rows, mode) => { calls.push(['bulk', mode, rows.length]); return []; });
  uploader.registerRowHook((record, mode) => {
    calls.push(['row', mode, record.row.name.value]);
    const row = { length: { value: record.row.name.value.length } };
    if (record.row.name.value === 'Ben') row.name = { info: [{ message: 'No Bens, please', level: 'error' }] };
    else row.name = { info: [] };
    return { ...record, row };
  });
  uploader.registerRowDeleteHook((record) => { calls.push(['deleted', record.row.name.value]); });
  uploader.onResults((data, metadata) => { handed.results.push({ data, metadata }); });
  document.getElementById('open').onclick = () => uploader.open();
  return uploader;`;

environmentTest('hooks of the page change rows when they arrive and when a person changes them', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, withHooks, { key: frontendKey, fields, settings });
  await page.getByRole('button', { name: 'Import contacts' }).click();
  await choose(widget, 'contacts.csv', 'Name,E-Mail\nAnna,ANNA@example.org\nBen,ben@example.org\n');
  await widget.getByText('No Bens, please').first().waitFor();
  await widget.getByText('Ben', { exact: true }).first().dblclick();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Benjamin');
  await page.keyboard.press('Enter');
  await widget.getByText('All 2 rows are ready').waitFor();
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const { results, calls } = (await handed()) as Handed & { calls: unknown[][] };
  assert.deepEqual(results[0]!.data, [{ name: 'Anna', length: 4, email: 'anna@example.org' }, { name: 'Benjamin', length: 8, email: 'ben@example.org' }]);
  assert.deepEqual(calls.map((call) => call.join(' ')), [
    'upload contacts.csv 3', 'review Name,E-Mail E-Mail', 'bulk init 2', 'row init Anna', 'row init Ben', 'bulk update 1', 'row update Benjamin', 'submit E-Mail',
  ]);
});

environmentTest('a hook that fails, hangs or returns nonsense costs only its own effect', async (environment) => {
  for (const hook of ["() => { throw new Error('no'); }", '() => ({ row: { missing: { value: 1 } } })', "() => 'nonsense'", '() => null', '(record) => { record.row.name.value = Symbol(); return record; }']) {
    const { page, widget, handed } = await openProduct(environment, inline.replace('return uploader', `uploader.registerRowHook(${hook}); return uploader`), { key: frontendKey, fields, settings });
    await page.getByRole('button', { name: 'Import contacts' }).click();
    await choose(widget, 'contacts.csv', 'Name,E-Mail\nAnna,anna@example.org\n');
    await submit(widget, 'Submit 1 row');
    await page.locator('iframe').waitFor({ state: 'hidden' });
    assert.deepEqual((await handed()).results[0]!.data, [{ name: 'Anna', email: 'anna@example.org' }], hook);
    await page.context().close();
  }
});

environmentTest('several importers in one page do not disturb each other', async (environment) => {
  const { page, handed } = await openProduct(environment, `
    const place = document.getElementById('place');
    for (const name of given.names) {
      const at = document.createElement('div');
      at.id = name;
      place.append(at);
      const uploader = new DromoUploader(given.key, given.fields, { ...given.settings, initialData: [{ name, email: name + '@example.org' }] }, {});
      uploader.onResults((data, metadata) => { handed.results.push({ data, metadata }); });
      uploader.initInline(name);
    }`, { key: frontendKey, fields, settings, names: ['one', 'two', 'three'] });
  for (const name of ['two', 'three', 'one']) {
    const widget = page.frameLocator(`#${name} iframe`);
    await submit(widget, 'Submit 1 row');
    await page.locator(`#${name} iframe`).waitFor({ state: 'hidden' });
  }
  assert.deepEqual((await handed()).results.map((one) => one.data[0]!.name), ['two', 'three', 'one']);
});

environmentTest('our own client opens the same importer, and reports why it cannot', async (environment) => {
  const own = `
    const importer = Intray.createImporter({
      server: given.server, key: given.key, schema: { fields: given.fields, settings: given.settings }, locale: 'de',
      hooks: { rows: [(record) => ({ row: { name: { value: record.row.name.value.toUpperCase() } } })] },
      onResults: (data, metadata) => { handed.results.push({ data, metadata }); },
      onError: (error) => { handed.error = [error.code, error.message]; },
    });
    document.getElementById('open').onclick = () => importer.open();`;
  const given = { server: environment.service.address, key: frontendKey, fields, settings };
  const { page, widget, handed } = await openProduct(environment, own, given);
  await page.getByRole('button', { name: 'Import contacts' }).click();
  await widget.getByText('Datei auswählen').first().waitFor();
  await choose(widget, 'contacts.csv', 'Name,E-Mail\nAnna,anna@example.org\n');
  await widget.getByText('ANNA').first().waitFor();
  await submit(widget, '1 Zeile absenden');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await handed()).results[0]!.data, [{ name: 'ANNA', email: 'anna@example.org' }]);
  const refused = await openProduct(environment, own, { ...given, settings: { ...settings, developmentMode: false } });
  await refused.page.getByRole('button', { name: 'Import contacts' }).click();
  await refused.page.waitForFunction(() => 'error' in (globalThis as unknown as { handed: object }).handed);
  const [code, message] = ((await refused.handed()) as unknown as { error: string[] }).error as [string, string];
  assert.equal(code, 'origin_refused');
  assert.match(message, /intray keys origins/);
});

environmentTest('step hooks change messages and rows, and batch and delete hooks are called', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline.replace('return uploader', `
    handed.batches = [];
    handed.deleted = [];
    uploader.registerBatchRowHook((records, batch) => { handed.batches.push([batch, records.length]); return records.map((record) => ({ index: record.index, row: { name: { value: record.row.name.value.trim() } } })); });
    uploader.registerRowDeleteHook((record) => { handed.deleted.push(record.row.name.value); });
    uploader.registerStepHook('REVIEW_STEP', async (instance) => {
      await instance.setHeaderRowOverride(null);
      await instance.removeRows(['1']);
      handed.ids = await instance.addRows([{ row: { name: { value: 'Grace' }, email: { value: 'grace@example.org' } } }]);
    });
    uploader.registerStepHook('REVIEW_STEP_POST_HOOKS', (instance) => instance.updateInfoMessages([{ rowIndex: 0, fieldKey: 'email', messages: [{ message: 'Known customer', level: 'warning' }] }]));
    return uploader`), { key: frontendKey, fields, settings });
  await page.getByRole('button', { name: 'Import contacts' }).click();
  await choose(widget, 'contacts.csv', 'Name,E-Mail\n Anna ,anna@example.org\nBen,ben@example.org\nCleo,cleo@example.org\n');
  await widget.getByText('Known customer').first().waitFor();
  await widget.getByText('Cleo', { exact: true }).first().click({ button: 'right' });
  await widget.getByRole('menuitem', { name: 'Delete the row' }).click();
  await widget.getByText('Cleo', { exact: true }).first().waitFor({ state: 'detached' });
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const { results, batches, deleted, ids } = (await handed()) as Handed & { batches: number[][]; deleted: string[]; ids: string[] };
  assert.deepEqual(results[0]!.data, [{ name: 'Anna', email: 'anna@example.org' }, { name: 'Grace', email: 'grace@example.org' }]);
  assert.equal(ids.length, 1);
  assert.ok(batches.length > 0 && batches[0]![0] === 1);
  assert.deepEqual(deleted, ['Cleo']);
});
