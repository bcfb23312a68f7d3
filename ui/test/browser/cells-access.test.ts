import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { violations } from './axe';
import { contacts, fields } from './cells-rows';
import { Service, type ReviewPage } from './cells-service';

let service: Service | null;
let link = '';
before(async () => {
  service = await Service.open();
  if (service) link = await service.review(fields, contacts(400));
});
after(() => service?.close());

const looks: [string, BrowserContextOptions & { query?: string }][] = [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['right to left', { query: '?lang=ar' }],
  ['right to left, dark', { query: '?lang=ar', colorScheme: 'dark' }],
  ['zoomed to 200 %', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ['400 px wide', { viewport: { width: 400, height: 760 } }],
];

/**
 * States to test. The selectors that reach them do not depend on the language. The flag is
 * true if the state also exists on a phone.
 */
const states: [string, boolean, (it: ReviewPage) => Promise<unknown>][] = [
  ['a problem', true, (it) => it.page.keyboard.press('Alt+ArrowDown')],
  ['find and replace with its preview', true, async (it) => {
    await it.press('Control+h');
    await it.page.locator('.c-replace input').first().fill('exa mple');
    await it.page.locator('.c-samples').waitFor();
  }],
  ['go to a row', true, (it) => it.press('Control+g')],
  ['a search without results', true, async (it) => {
    await it.press('Control+f');
    await it.page.keyboard.type('nobody at all');
    await it.page.locator('.ig-sign.is-empty').waitFor({ state: 'attached' });
  }],
  ['the menu of the bar', true, (it) => it.page.locator('.c-bar [aria-haspopup=menu]').click()],
  ['the menu of what is selected', false, (it) => it.cell(1, 1).click({ button: 'right' })],
  ['the chooser for equal cells', true, async (it) => {
    await panel(it);
    await it.page.locator('.c-other, .c-choose').first().click();
    await it.page.locator('.c-chooser').waitFor();
  }],
  ['all values', true, async (it) => {
    await panel(it);
    await it.page.locator('.c-group-actions .k-button:not(.c-delete)').last().click();
    await it.page.locator('.c-line').first().waitFor();
  }],
  ['the rows to delete', true, async (it) => {
    await panel(it);
    await it.page.locator('.c-delete').click();
    await it.page.locator('.k-dialog .c-samples').waitFor();
    await it.page.locator('.k-dialog .k-danger:enabled').waitFor();
  }],
  // This state is last, because the conflict covers the table until it is resolved.
  ['a conflict', false, async (it) => {
    const other = await service!.page(link);
    await closePanelSheet(it);
    await it.cell(1, 0).dblclick();
    await other.type(1, 0, `Theirs ${Math.random()}`);
    await other.waitUntilSaved();
    await other.close();
    await it.page.keyboard.type(`Mine ${Math.random()}`);
    await it.press('Enter');
    await it.page.locator('.c-conflicts').waitFor();
  }],
];

async function panel(it: ReviewPage): Promise<void> {
  if (!(await it.page.locator('.c-panel').isVisible())) await it.page.locator('.c-panel-button').click();
  await it.page.locator('.c-values:not(.is-loading)').first().waitFor();
}

/** Closes the panel if it covers the table. */
async function closePanelSheet(it: ReviewPage): Promise<void> {
  const close = it.page.locator('.c-panel.is-sheet .c-panel-head button');
  if (await close.isVisible()) await close.click();
}

for (const [name, options] of looks) {
  test(`axe finds no violations: ${name}`, async (context) => {
    if (!service) return context.skip('there is neither the program nor Go to build it');
    const small = options.viewport?.width === 400;
    const it = await service.page(link, options);
    await it.page.locator('.c-tab-count').first().waitFor();
    for (const [state, everywhere, open] of states) {
      if (small && !everywhere) continue;
      await open(it);
      // Wait for fade-ins, because axe would otherwise check the colors during the fade.
      await it.page.waitForTimeout(300);
      assert.deepEqual(await violations(it.page), [], state);
      await it.press('Escape');
      await it.page.locator('dialog[open], .k-popover, .ig-sign').waitFor({ state: 'detached' });
    }
    await it.close();
  });
}
