import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type {} from '../pages/react.js';
import type {} from '../pages/vue.js';
import { Site, type Host } from './site.js';

let site: Site;
before(async () => void (site = await Site.open()));
after(() => site?.close());

function onPage(name: string, script: string, act: (host: Host) => Promise<void>): void {
  test(name, async () => {
    const host = await site.page({ script });
    await act(host);
    await host.close();
  });
}

const frames = (host: Host) => host.page.locator('iframe').count();

onPage('React: open shows the dialog once, also in strict mode', 'react', async (host) => {
  await host.page.evaluate(() => window.render('component'));
  for (let round = 0; round < 2; round++) {
    await host.page.getByRole('button', { name: 'Component' }).click();
    const child = await host.child(round);
    assert.deepEqual((await child.evaluate(() => window.child.calls)).filter(([name]) => /^init/.test(name)).length, 1);
    assert.equal(await host.page.locator('dialog:visible').count(), 1);
    await child.evaluate(() => window.child.parent.handleResults!([{ a: 1 }], {}));
    assert.deepEqual(await host.callbacks(), [['onResults', [{ a: 1 }]], ['onClose', 'results']]);
    await host.page.evaluate(() => (window.calls.length = 0));
  }
});

onPage('React: strict mode does not leave frames behind', 'react', async (host) => {
  await host.page.evaluate(() => window.render('component', { open: true }));
  await host.child();
  assert.equal(await frames(host), 1);
  assert.deepEqual((await host.callbacks()).filter(([name]) => name === 'onError'), []);
  await host.page.evaluate(() => window.render('component', { open: false }));
  await host.page.waitForFunction(() => !document.querySelector('body > div:last-of-type')?.shadowRoot);
  assert.equal(await host.page.evaluate(() => document.documentElement.style.overflow), '');
});

onPage('React: an inline importer stays when the page renders again', 'react', async (host) => {
  await host.page.evaluate(() => window.render('component', { inline: true, className: 'box' }));
  const child = await host.child();
  assert.equal(await host.page.locator('#app .box iframe').count(), 1);
  await host.page.evaluate(() => window.render('component', { inline: true, className: 'wide', onResults: () => void window.calls.push(['latest']) }));
  await host.page.locator('#app .wide iframe').waitFor();
  assert.equal(await frames(host), 1);
  await child.evaluate(() => window.child.parent.handleResults!([], {}));
  assert.deepEqual((await host.callbacks()).filter(([name]) => name === 'latest').length, 1);
  await host.page.evaluate(() => window.render('none'));
  await host.page.waitForFunction(() => !document.querySelector('#app div'));
});

onPage('React: the hook uses the latest options and closes with the component', 'react', async (host) => {
  await host.page.evaluate(() => window.render('hook', { count: 1 }));
  await host.page.getByRole('button', { name: 'Hook' }).click();
  const child = await host.child();
  await host.page.evaluate(() => window.render('hook', { count: 2 }));
  await host.page.waitForTimeout(50);
  await child.evaluate(() => window.child.parent.handleCancel!());
  assert.deepEqual(await host.callbacks(), [['onCancel', 2]]);
  await host.page.evaluate(() => document.querySelector<HTMLElement>('#app button')!.click());
  await host.child(1);
  await host.page.evaluate(() => window.render('none'));
  await host.page.waitForFunction(() => document.documentElement.style.overflow === '');
});

onPage('Vue: v-model:open shows the dialog, and reactive options reach the frame', 'vue', async (host) => {
  await host.page.evaluate(() => Object.assign(window.state, { page: 'component', open: true }));
  const child = await host.child();
  const [method, , fields, settings, user] = (await child.evaluate(() => window.child.calls)).at(-1)! as any[];
  assert.deepEqual([method, fields, settings.importIdentifier, user], ['init', [{ key: 'a', label: 'A', validators: [{ validate: 'required' }] }], 'x', { id: 'u1' }]);
  await child.evaluate(() => window.child.parent.handleResults!([{ a: 1 }], {}));
  // The importer waits for the promise of the listener.
  assert.deepEqual(await host.callbacks(), [['stored', [{ a: 1 }], true], ['onClose', 'results']]);
  assert.equal(await host.page.evaluate(() => window.state.open), false);
  await host.page.evaluate(() => (window.state.open = true));
  await host.child(1);
  await host.page.evaluate(() => (window.state.open = false));
  await host.page.waitForFunction(() => document.documentElement.style.overflow === '');
  await host.page.evaluate(() => (window.state.open = true));
  await host.page.locator('dialog:visible').waitFor();
  await host.page.evaluate(() => (window.state.page = 'none'));
  await host.page.waitForFunction(() => document.documentElement.style.overflow === '');
});

onPage('Vue: an inline importer is in its element', 'vue', async (host) => {
  await host.page.evaluate(() => Object.assign(window.state, { page: 'component', inline: true }));
  await host.child();
  assert.equal(await host.page.locator('#app iframe').count(), 1);
  await host.page.evaluate(() => (window.state.locale = 'de'));
  assert.equal(await frames(host), 1);
  await host.page.evaluate(() => (window.state.page = 'none'));
  await host.page.waitForFunction(() => !document.querySelector('#app div'));
});

onPage('Vue: the composable uses the current options', 'vue', async (host) => {
  await host.page.evaluate(() => (window.state.page = 'composable'));
  await host.page.getByRole('button', { name: 'Composable' }).click();
  const child = await host.child();
  await host.page.evaluate(() => (window.state.locale = 'de'));
  await child.evaluate(() => window.child.parent.handleCancel!());
  assert.deepEqual(await host.callbacks(), [['onCancel', 'de']]);
});
