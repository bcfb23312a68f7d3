import assert from 'node:assert/strict';
import { after } from 'node:test';
import { closeEnvironment, environmentTest } from './environment';
import { choose, fields, frontendKey, openProduct, settings, submit } from './product';

// The published component for React, in the strict mode of React, opens the importer unchanged.

after(closeEnvironment);

const props = `{
  licenseKey: given.key, fields: given.fields, settings: given.settings, user: { id: '7' }, ...given.more,
  rowHooks: [(record) => ({ row: { name: { value: record.row.name.value.toUpperCase() } } })],
  stepHooks: [{ type: 'UPLOAD_STEP', callback: (instance, data) => { handed.uploaded = data.filename; } }],
  columnHooks: [{ fieldName: 'email', callback: (cells) => cells.map(({ index, value }) => ({ index, value: value.trim() })) }],
  beforeFinish: (rows) => { handed.finishing = rows.length; },
  onResults: (data, metadata) => { handed.results.push({ data, metadata }); },
  onCancel: () => { handed.cancelled++; },
  onUserEvent: (event) => { handed.event = event.payload.buttonName; },
}`;
const file = 'Name,E-Mail\nAnna, anna@example.org \n';
const anna = [{ name: 'ANNA', email: 'anna@example.org' }];

for (const controlled of [false, true]) {
  environmentTest(`the component opens a dialog, ${controlled ? 'controlled by the page' : 'with a button of its own'}`, async (environment) => {
    const { page, widget, handed } = await openProduct(environment, `ReactProduct.mount(document.getElementById('place'), ${props}, { controlled: ${controlled} });`, { key: frontendKey, fields, settings });
    const open = page.getByRole('button', { name: 'Import with React' });
    await open.click();
    await widget.getByRole('button', { name: 'Close the importer' }).click();
    await page.locator('iframe').first().waitFor({ state: 'hidden' });
    await open.click();
    const last = page.locator('iframe').last().contentFrame();
    await choose(last, 'contacts.csv', file);
    await submit(last, 'Submit 1 row');
    await page.locator('iframe').last().waitFor({ state: 'hidden' });
    const { results, ...others } = await handed();
    assert.deepEqual(results.map((one) => one.data), [anna]);
    assert.deepEqual(others, { cancelled: 1, uploaded: 'contacts.csv', finishing: 1, event: 'FINISH' });
  });
}

environmentTest('the component shows the importer in the page, although it is mounted twice', async (environment) => {
  const { page, handed } = await openProduct(environment, `ReactProduct.mount(document.getElementById('place'), ${props});`, { key: frontendKey, fields, settings, more: { inline: true } });
  await page.locator('iframe').nth(1).waitFor({ state: 'attached' });
  assert.equal(await page.locator('iframe').count(), 2, 'the strict mode mounts components twice');
  // One of them stays idle.
  const widget = page.locator('iframe').nth(1).contentFrame();
  await choose(widget, 'contacts.csv', file);
  await submit(widget, 'Submit 1 row');
  await page.waitForFunction(() => (globalThis as unknown as { handed: { results: unknown[] } }).handed.results.length > 0);
  assert.deepEqual((await handed()).results.map((one) => one.data), [anna]);
});

environmentTest('the component opens a saved schema', async (environment) => {
  const name = `Contacts ${Math.random()}`;
  await environment.service.call('POST', '/api/v1/schemas/', JSON.stringify({ name, fields, settings }));
  const saved = props.replace('fields: given.fields, settings: given.settings', 'schemaName: given.name');
  const { page, widget, handed } = await openProduct(environment, `ReactProduct.mount(document.getElementById('place'), ${saved});`, { key: frontendKey, name });
  await page.getByRole('button', { name: 'Import with React' }).click();
  await choose(widget, 'contacts.csv', file);
  await submit(widget, 'Submit 1 row');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const [{ data, metadata }] = (await handed()).results as [{ data: unknown; metadata: { user: { id: string } } }];
  assert.deepEqual([data, metadata.user.id], [anna, '7']);
});
