import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { violations } from './axe';
import { Site, type DemoPage } from './site';

let site: Site;
before(async () => void (site = await Site.open()));
after(() => site.close());

const looks: [string, string, BrowserContextOptions][] = [
  ['light', 'theme=light', {}],
  ['dark', 'theme=dark', {}],
  ['right to left', 'theme=light&dir=rtl', {}],
  ['right to left, dark', 'theme=dark&dir=rtl', {}],
  ['400 px wide', 'theme=light', { viewport: { width: 400, height: 720 } }],
  ['zoomed to 200 %', 'theme=dark', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
];

const states: [string, (demo: DemoPage) => Promise<unknown>][] = [
  ['an invalid cell with its message', (demo) => demo.reach(6, 'country')],
  ['a range', async (demo) => {
    await demo.reach(4, 'name');
    await demo.press('Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowRight', 'Shift+ArrowRight');
  }],
  ['a text editor', async (demo) => {
    await demo.reach(4, 'email');
    await demo.press('F2');
  }],
  ['a select', async (demo) => {
    await demo.reach(6, 'country');
    await demo.press('F2');
  }],
  ['a date', async (demo) => {
    await demo.reach(6, 'born');
    await demo.press('F2');
  }],
  ['the menu of a column', async (demo) => {
    await demo.reach(0, 'email');
    await demo.press('ArrowUp', 'Enter');
  }],
];

for (const [look, query, options] of looks) {
  test(`axe finds no violations: ${look}`, async () => {
    const demo = await site.page(query, options);
    assert.deepEqual(await violations(demo.page), []);
    for (const [state, reach] of states) {
      await demo.press('Escape', 'Escape');
      await reach(demo);
      await demo.page.waitForTimeout(200);
      assert.deepEqual(await violations(demo.page), [], state);
    }
    assert.deepEqual(demo.pageErrors, []);
    await demo.close();
  });
}

for (const [name, query, sentence] of [
  ['empty', 'rows=0&outcome=fine', 'No matching rows.'],
  ['loading', 'outcome=never', 'Loading rows…'],
  ['failed', 'outcome=failed', 'The rows couldn’t be loaded.'],
  ['offline', 'outcome=lost', 'You’re offline.'],
] as const) {
  test(`axe finds no violations: ${name}`, async () => {
    for (const theme of ['light', 'dark']) {
      const demo = await site.page(`${query}&theme=${theme}`);
      await demo.page.locator('.ig-sign').getByText(sentence).waitFor();
      await demo.page.waitForTimeout(200);
      assert.deepEqual(await violations(demo.page), []);
      await demo.close();
    }
  });
}

test('the page complies with its content security policy', async () => {
  const demo = await site.page();
  const reports: string[] = await demo.page.evaluate(() => new Promise((done) => {
    const seen: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) => seen.push(event.violatedDirective));
    window.demo.grid!.goToRow(123_456);
    setTimeout(() => done(seen), 300);
  }));
  assert.deepEqual(reports, []);
  assert.deepEqual(demo.pageErrors, []);
  await demo.close();
});
