import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { violations } from './axe';
import { Pages } from './pages';
import { acts, openStep } from './scene-acts';
import { facts, layout, scenes } from './scenes';

let pages: Pages;
before(async () => void (pages = await Pages.open()));
after(() => pages.close());

const looks: [string, string, BrowserContextOptions][] = [
  ['light', 'theme=light', {}],
  ['dark', 'theme=dark', {}],
  ['right to left', 'theme=light&lang=ar', {}],
  ['right to left, dark', 'theme=dark&lang=ar', {}],
  ['German, 400 px wide', 'theme=light&lang=de', { viewport: { width: 400, height: 720 } }],
  ['Arabic, 400 px wide', 'theme=dark&lang=ar', { viewport: { width: 400, height: 720 } }],
  ['zoomed to 200 %', 'theme=dark', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
];

/** Returns how much wider the page is than the window, in CSS pixels. */
const overflowWidth = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const [look, query, options] of looks) {
  test(`axe finds no violations on any page: ${look}`, async () => {
    for (const [name, scene] of Object.entries(scenes)) {
      const { page, close } = await pages.review(scene(), query, options);
      await page.locator('h1').first().waitFor();
      await acts[name]?.(page);
      await page.waitForTimeout(200);
      assert.deepEqual(await violations(page), [], name);
      assert.ok((await overflowWidth(page)) <= 0, `${name} is wider than the window`);
      await close();
    }
  });

  test(`axe finds no violations in popovers and dialogs: ${look}`, async () => {
    const { page, close } = await pages.review({ facts: facts(), layout: layout({ changes: 3 }) }, query, options);
    await openStep(page, 'columns');
    await page.locator('.column-why').nth(2).click();
    await page.locator('.k-select').nth(2).click();
    await page.waitForTimeout(200);
    assert.deepEqual(await violations(page), [], 'a select');
    await page.locator('.k-option').first().click();
    await page.locator('.column-foot .k-primary').click();
    await page.waitForTimeout(200);
    assert.deepEqual(await violations(page), [], 'the warning');
    await page.keyboard.press('Escape');
    await openStep(page, 'table');
    await page.locator('.reading summary').click();
    await page.locator('.reading-change button').first().click();
    await page.waitForTimeout(200);
    assert.deepEqual(await violations(page), [], 'the encoding');
    assert.ok((await overflowWidth(page)) <= 0);
    await close();
  });
}

test('axe finds a violation', async () => {
  const { page, close } = await pages.review(scenes.done!());
  await page.locator('h1').first().waitFor();
  await page.evaluate(() => document.querySelector('main')!.append(document.createElement('button')));
  assert.match((await violations(page)).join('\n'), /button-name/);
  await close();
});
