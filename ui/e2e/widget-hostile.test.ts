import assert from 'node:assert/strict';
import { after } from 'node:test';
import { closeEnvironment, environmentTest } from './environment';
import { scripts } from './hostile';
import { choose, csv, fields, frontendKey, inline, openProduct, settings, submit } from './product';

// Pages, frames and servers around the importer that attack it, misbehave or fail.

after(closeEnvironment);

const open = 'Import contacts';
const twoRows = 'Name,E-Mail\nAnna,anna@example.org\nBen,ben@example.org\n';
const both = [{ name: 'Anna', email: 'anna@example.org' }, { name: 'Ben', email: 'ben@example.org' }];

environmentTest('another frame of the page can neither call the importer nor receive its rows', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings });
  // A frame of another site in the same page, which knows the protocol.
  await page.evaluate(async () => {
    const frame = document.createElement('iframe');
    frame.src = location.origin.replace('localhost', '127.0.0.1') + '/step';
    frame.id = 'rogue';
    document.body.append(frame);
    await new Promise((done) => (frame.onload = done));
  });
  const rogue = page.frames().find((one) => one.url().includes('/step'))!;
  await rogue.evaluate(() => {
    const got: unknown[] = [];
    Object.assign(globalThis, { got });
    addEventListener('message', (event) => got.push(event.data));
    setInterval(() => {
      for (let at = 0; at < parent.frames.length; at++) {
        if (parent.frames[at] === window) continue;
        for (const message of [
          { penpal: 'synAck', methodNames: ['handleResults', 'handleResultsBatch', 'handleRowHooks'] },
          { penpal: 'call', id: 1, methodName: 'init', args: ['fk_x', [], {}, {}, 'x'] },
          { penpal: 'call', id: 2, methodName: 'setConfirmationMessage', args: ['<b>pwned</b>'] },
          { penpal: 'reply', id: 1, resolution: 'fulfilled', returnValue: { cancel: true } },
          { type: 'DROMO_NEXT' },
        ]) parent.frames[at]!.postMessage(message, '*');
      }
    }, 20);
  });
  await page.getByRole('button', { name: open }).click();
  const own = page.frameLocator('iframe[title^="Dromo"]');
  await choose(own, 'contacts.csv', twoRows);
  await submit(own, 'Submit 2 rows');
  await page.waitForFunction(() => (globalThis as unknown as { handed: { results: unknown[] } }).handed.results.length > 0);
  assert.deepEqual((await handed()).results[0]!.data, both);
  // It sees the first message, which is for everyone and contains nothing.
  const got = await rogue.evaluate(() => (globalThis as unknown as { got: { penpal?: string }[] }).got);
  assert.deepEqual(got.filter((one) => one?.penpal !== 'syn'), []);
  void widget;
});

environmentTest('nonsense of the page itself does not stop the importer', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings });
  await page.getByRole('button', { name: open }).click();
  await widget.locator('.drop').waitFor();
  const replies = await page.evaluate(async () => {
    const frame = document.querySelector('iframe')!.contentWindow!;
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const replies: string[] = [];
    addEventListener('message', ({ data }) => {
      if (data?.penpal === 'reply' && String(data.id).startsWith('x')) replies.push(`${data.id} ${data.resolution}`);
    });
    const send = (message: unknown) => frame.postMessage(message, '*');
    for (const message of [null, 7, 'x', [], cycle, { penpal: 'call' }, { penpal: 'reply', id: 999 }, { penpal: 'synAck', methodNames: [] }, { penpal: 'ack' }, 'y'.repeat(30_000_000)]) send(message);
    for (const [at, methodName] of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'nothing', ''].entries()) send({ penpal: 'call', id: `x${at}`, methodName, args: [] });
    send({ penpal: 'call', id: 'x6', methodName: 'setUser', args: cycle });
    send({ penpal: 'call', id: 'x7', methodName: 'addField', args: [JSON.parse('{"__proto__": {"polluted": true}, "key": "k", "label": "K"}')] });
    await new Promise((done) => setTimeout(done, 1500));
    return replies;
  });
  assert.deepEqual(replies.filter((one) => one.endsWith('rejected')), ['x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x7'].map((id) => `${id} rejected`));
  const frame = page.frames().find((one) => one.url().startsWith(environment.service.address))!;
  assert.equal(await frame.evaluate(() => 'polluted' in {}), false);
  await choose(widget, 'contacts.csv', twoRows);
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await handed()).results[0]!.data.map(({ name }) => name), ['Anna', 'Ben']);
});

environmentTest('scripts in the texts of a page are shown as text', async (environment) => {
  for (const script of scripts.slice(0, 12)) {
    const hostile = {
      key: frontendKey, fields: [{ key: 'name', label: script, description: script, alternateMatches: ['Name'] }, { key: 'email', label: 'E-Mail', type: 'select', selectOptions: [{ label: script, value: 'x' }] }],
      settings: { ...settings, title: script, importIdentifier: script, uploadStep: { helpText: script }, reviewStep: { helpText: script }, matchingStep: { helpText: script }, templateDownloadFilename: script },
    };
    const { page, widget } = await openProduct(environment, inline.replace('return uploader', 'uploader.registerCustomStep({ id: given.script, insertAfter: "HEADER_SELECT", label: given.script }); uploader.registerStepHook("UPLOAD_STEP", (instance) => instance.setConfirmationMessage(given.script)); return uploader'), { ...hostile, script });
    const errors: string[] = [];
    page.on('console', (message) => message.text().includes('Content Security Policy') && errors.push(message.text()));
    await page.getByRole('button', { name: open }).click();
    await widget.locator('.drop').waitFor();
    await choose(widget, `${script.replaceAll(/[/\\]/g, '_')}.csv`, `Name,E-Mail\n"${script.replaceAll('"', '""')}",x\n`);
    await widget.locator('.custom-step').waitFor();
    const frame = page.frames().find((one) => one.url().startsWith(environment.service.address))!;
    for (const one of page.frames()) assert.equal(await one.evaluate(() => 'x' in globalThis), false, script);
    assert.equal(await frame.locator('.custom-step script, .step-help *:not(bdi), .bar script').count(), 0, script);
    assert.deepEqual(errors, []);
    await page.context().close();
  }
});

environmentTest('a page that closes, reopens and removes the importer at any time gets its rows once', async (environment) => {
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings });
  const uploader = (...names: string[]) => page.evaluate(async (names) => {
    const { uploader } = globalThis as unknown as { uploader: Record<string, () => unknown> };
    for (const name of names) void uploader[name]!();
  }, names);
  await uploader('open', 'close', 'open', 'open', 'close', 'open', 'open');
  await choose(widget, 'contacts.csv', csv);
  await widget.locator('.fix-head').waitFor();
  await uploader('close', 'open'); // starts over
  await widget.locator('.drop').waitFor();
  await choose(widget, 'contacts.csv', twoRows);
  await submit(widget, 'Submit 2 rows');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await handed()).results.map((one) => one.data), [both]);
  // The frame is removed during an upload.
  await uploader('open');
  await widget.locator('.drop').waitFor();
  await choose(widget, 'contacts.csv', csv.repeat(2000));
  await page.evaluate(() => document.querySelector('iframe')!.remove());
  const again = await openProduct(environment, inline, { key: frontendKey, fields, settings });
  await again.page.getByRole('button', { name: open }).click();
  await choose(again.widget, 'contacts.csv', twoRows);
  await submit(again.widget, 'Submit 2 rows');
  await again.page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await again.handed()).results.map((one) => one.data), [both]);
});

environmentTest('the importer survives restarts of the server in every step', async (environment) => {
  const { service } = environment;
  const { page, widget, handed } = await openProduct(environment, inline, { key: frontendKey, fields, settings });
  const restart = async () => {
    await service.kill();
    await page.waitForTimeout(300);
    await service.up();
  };
  await page.getByRole('button', { name: open }).click();
  await widget.locator('.drop').waitFor();
  await restart();
  await choose(widget, 'contacts.csv', csv);
  await widget.locator('.fix-head').waitFor();
  for (const step of ['Table', 'Columns', 'Fix']) {
    await widget.getByRole('button', { name: step }).click();
    // Without the code of a step, the page offers to try again.
    await widget.locator('.column-head h1, .fix-head h1').first().waitFor();
    await restart();
  }
  await widget.getByText('ben@example', { exact: true }).first().dblclick();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('ben@example.org');
  await service.kill();
  await page.keyboard.press('Enter');
  await page.waitForTimeout(300);
  await service.up();
  await widget.getByText('All 2 rows are ready').waitFor();
  await widget.locator('.fix-continue').click();
  await widget.getByRole('button', { name: 'Submit 2 rows' }).waitFor();
  await restart();
  await widget.getByRole('button', { name: 'Submit 2 rows' }).click();
  await page.locator('iframe').waitFor({ state: 'hidden' });
  assert.deepEqual((await handed()).results.map((one) => one.data), [both]);
});

environmentTest('a token is of no use to another site', async (environment) => {
  const { service } = environment;
  const opened = await fetch(`${service.address}/api/widget/v1/session/`, {
    method: 'POST', headers: { 'content-type': 'application/json', 'x-service-license-key': frontendKey }, body: JSON.stringify({ origin: 'http://a.example', development_mode: true, fields }),
  });
  const { session } = (await opened.json()) as { session: string };
  const { page } = await openProduct(environment, inline, { key: frontendKey, fields, settings });
  const tried = await page.evaluate(async ({ address, session, fields }) => {
    const request = (path: string, init: RequestInit) => fetch(address + path, init).then((answer) => answer.status, () => 'refused');
    const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' };
    return [
      await request('/api/widget/v1/imports/', { method: 'POST', headers, body: JSON.stringify({ fields }) }),
      await request('/api/widget/v1/imports/', { method: 'POST', headers, body: JSON.stringify({ fields }), credentials: 'include' }),
      await request('/api/v1/headless/imports/', { method: 'GET', credentials: 'include' }),
    ];
  }, { address: service.address, session, fields });
  assert.deepEqual(tried, ['refused', 'refused', 'refused']);
});
