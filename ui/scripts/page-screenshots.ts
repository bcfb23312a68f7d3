import { mkdirSync } from 'node:fs';
import type { BrowserContextOptions } from 'playwright-core';
import { Pages } from '../test/browser/pages';
import { acts } from '../test/browser/scene-acts';
import { scenes } from '../test/browser/scenes';

/**
 * Takes screenshots of the page in each state: node scripts/run.mjs page-screenshots.ts
 * [part of a name]
 */
const folder = 'shots/pages';
mkdirSync(folder, { recursive: true });
const only = process.argv[2] ?? '';
const pages = await Pages.open();

const looks: Record<string, [string, BrowserContextOptions]> = {
  light: ['theme=light', {}],
  dark: ['theme=dark', {}],
  german: ['theme=light&lang=de', {}],
  arabic: ['theme=dark&lang=ar', {}],
  narrow: ['theme=light', { viewport: { width: 400, height: 780 } }],
  'narrow-arabic': ['theme=light&lang=ar', { viewport: { width: 400, height: 780 } }],
  zoomed: ['theme=light', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
};
for (const [look, [query, options]] of Object.entries(looks)) {
  for (const [name, scene] of Object.entries(scenes)) {
    const file = `${name}-${look}`;
    if (!file.includes(only)) continue;
    const { page, close, pageErrors } = await pages.review(scene(), query, options);
    await page.locator('h1').first().waitFor();
    await acts[name]?.(page);
    await page.waitForTimeout(400);
    await page.screenshot({ path: `${folder}/${file}.png` });
    for (const pageError of pageErrors) console.log(file, pageError);
    await close();
  }
}
await pages.close();
