import assert from 'node:assert/strict';
import { after } from 'node:test';
import { closeEnvironment, environmentTest } from './environment';
import { choose, csv, fields, frontendKey, inline, openProduct, settings, submit } from './product';

// Importers that save the work of a person in a session, and importers that continue an import of the API.

after(closeEnvironment);

const open = 'Import contacts';
const saving = { ...settings, backendSyncMode: 'FULL_DATA', savePartialSession: true };

interface Session {
  readonly sessionId: string;
  readonly hydrationId: string;
}

environmentTest('a person who comes back continues in the same step, with the file and the changes', async (environment) => {
  const { service } = environment;
  const { hydrationId } = await service.call<Session>('POST', '/api/widget/session/v2/auth/', JSON.stringify({ import_identifier: 'contacts' }));
  const given = { key: frontendKey, fields, settings: { ...saving, hydrationId } };
  const first = await openProduct(environment, inline, given);
  await first.page.getByRole('button', { name: open }).click();
  await choose(first.widget, 'contacts.csv', csv);
  await first.widget.getByText('ben@example', { exact: true }).first().dblclick();
  await first.page.keyboard.press('Control+A');
  await first.page.keyboard.type('ben@example.org');
  await first.page.keyboard.press('Enter');
  await first.widget.getByText('All 2 rows are ready').waitFor();
  const saved = first.page.waitForRequest((request) => request.url().endsWith('/progress/') && request.postData()!.includes('columns'));
  await first.widget.getByRole('button', { name: /Columns/ }).click();
  await saved;
  await first.widget.getByRole('button', { name: 'Close the importer' }).click();
  await first.page.locator('iframe').waitFor({ state: 'hidden' });
  // In the same page, and in another browser after a crash of the server.
  await first.page.getByRole('button', { name: open }).click();
  await first.widget.getByRole('heading', { name: /column/i }).first().waitFor();
  await service.kill();
  await service.up();
  const second = await openProduct(environment, inline, given);
  await second.page.getByRole('button', { name: open }).click();
  await second.widget.locator('[aria-current=step]', { hasText: 'Columns' }).waitFor();
  await second.widget.getByRole('button', { name: /Fix/ }).click();
  await second.widget.getByText('All 2 rows are ready').waitFor();
  await submit(second.widget, 'Submit 2 rows');
  await second.page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await second.handed()).results[0]!.data, [{ name: 'Anna', email: 'anna@example.org' }, { name: 'Ben', email: 'ben@example.org' }]);
  // A submitted import is not offered again.
  await second.page.getByRole('button', { name: open }).click();
  await second.widget.getByRole('heading', { name: 'Upload your file' }).waitFor();
});

environmentTest('deleting a session ends its open importer', async (environment) => {
  const { service } = environment;
  const { sessionId, hydrationId } = await service.call<Session>('POST', '/api/widget/session/v2/auth/', '{}');
  const { page, widget } = await openProduct(environment, inline, { key: frontendKey, fields, settings: { ...saving, hydrationId } });
  await page.getByRole('button', { name: open }).click();
  await choose(widget, 'contacts.csv', csv);
  await widget.getByText('ben@example', { exact: true }).first().waitFor();
  await service.call('DELETE', `/api/widget/session/v2/${sessionId}/`);
  await widget.getByText('ben@example', { exact: true }).first().waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: open }).evaluate((button: HTMLElement) => button.click());
  await widget.getByText('The importer can’t be opened here').waitFor();
});

environmentTest('without a token, the page learns the id of the session and its server resumes it', async (environment) => {
  const setUp = inline.replace('return uploader', `
    uploader.registerStepHook('UPLOAD_STEP', (instance, data) => { handed.session = data.sessionId; });
    return uploader`);
  const { page, widget, handed } = await openProduct(environment, setUp, { key: frontendKey, fields, settings: saving });
  await page.getByRole('button', { name: open }).click();
  await choose(widget, 'contacts.csv', csv);
  await widget.getByText('ben@example', { exact: true }).first().waitFor();
  const { session } = (await handed()) as unknown as { session: string };
  const { hydrationId } = await environment.service.call<Session>('POST', `/api/widget/session/v2/${session}/auth/`, '{}');
  const again = await openProduct(environment, inline, { key: frontendKey, fields, settings: { ...saving, hydrationId } });
  await again.page.getByRole('button', { name: open }).click();
  await again.widget.getByText('ben@example', { exact: true }).first().waitFor();
});

environmentTest('the published client continues an import of the API', async (environment) => {
  const { service } = environment;
  const made = await service.make({ fields: fields as never, file: csv });
  const argument = await service.call<{ headlessImportId: string }>('GET', `/api/v1/headless/imports/${made.id}/rehydration/`);
  assert.equal(argument.headlessImportId, made.id);
  const { page, widget, handed } = await openProduct(environment, `
    document.getElementById('open').onclick = async () => {
      const uploader = await DromoUploader.rehydrateHeadless(given);
      uploader.onResults((data, metadata) => { handed.results.push({ data, metadata }); });
    };`, argument as never);
  await page.getByRole('button', { name: open }).click();
  await widget.getByText('ben@example', { exact: true }).first().dblclick();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('ben@example.org');
  await page.keyboard.press('Enter');
  await widget.getByText('All 2 rows are ready').waitFor();
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await handed()).results[0]!.data, [{ name: 'Anna', email: 'anna@example.org' }, { name: 'Ben', email: 'ben@example.org' }]);
  assert.deepEqual(await service.result(made.id), (await handed()).results[0]!.data);
});

environmentTest('our own client continues with a token, also with a saved schema', async (environment) => {
  const { service } = environment;
  const name = `Contacts ${Math.random()}`;
  const { savePartialSession: _, ...kept } = saving;
  await service.call('POST', '/api/v1/schemas/', JSON.stringify({ name, fields, settings: kept }));
  const { hydrationId } = await service.call<Session>('POST', '/api/widget/session/v2/auth/', '{}');
  const own = `
    const importer = Intray.createImporter({ server: given.server, key: given.key, schema: given.name, sessionToken: given.token, developmentMode: true, onClose: (reason) => { handed.reason = reason; } });
    document.getElementById('open').onclick = () => importer.open();`;
  const given = { server: service.address, key: frontendKey, name, token: hydrationId };
  const { page, widget, handed } = await openProduct(environment, own, given);
  await page.getByRole('button', { name: open }).click();
  await choose(widget, 'contacts.csv', csv);
  await widget.getByText('ben@example', { exact: true }).first().waitFor();
  await widget.getByRole('button', { name: 'Close the importer' }).click();
  await page.waitForFunction(() => 'reason' in (globalThis as unknown as { handed: object }).handed);
  assert.equal(((await handed()) as unknown as { reason: string }).reason, 'cancel');
  const again = await openProduct(environment, own, given);
  await again.page.getByRole('button', { name: open }).click();
  await again.widget.getByText('ben@example', { exact: true }).first().waitFor();
});

environmentTest('a file that cannot be read does not come back, and another one can be chosen', async (environment) => {
  const { hydrationId } = await environment.service.call<Session>('POST', '/api/widget/session/v2/auth/', '{}');
  const { page, widget } = await openProduct(environment, inline, { key: frontendKey, fields, settings: { ...saving, hydrationId } });
  await page.getByRole('button', { name: open }).click();
  await choose(widget, 'photo.xlsx', 'PK\u0003\u0004 no workbook');
  await widget.getByRole('button', { name: 'Choose another file' }).click();
  await widget.getByRole('heading', { name: 'Upload your file' }).waitFor();
  await choose(widget, 'contacts.csv', csv);
  await widget.getByText('ben@example', { exact: true }).first().waitFor();
});
