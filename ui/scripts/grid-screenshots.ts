import { mkdirSync } from 'node:fs';
import { Site } from '../test/browser/site';

/** Takes screenshots of the grid in its states: npm run look */
const folder = 'shots';
const site = await Site.open();
mkdirSync(folder, { recursive: true });

const only = process.argv[2];
async function shot(name: string, query: string, act: (demo: Awaited<ReturnType<Site['page']>>) => Promise<void>, options = {}) {
  if (only && !name.includes(only)) return;
  const demo = await site.page(query, options);
  await act(demo);
  await demo.page.waitForTimeout(400);
  await demo.page.screenshot({ path: `${folder}/${name}.png` });
  for (const pageError of demo.pageErrors) console.log(name, pageError);
  await demo.close();
}
const message = async (demo: Awaited<ReturnType<Site['page']>>) => {
  await demo.reach(6, 'country');
};
const small = { viewport: { width: 400, height: 720 } };
await shot('light', 'theme=light', message);
await shot('dark', 'theme=dark', message);
await shot('rtl', 'dir=rtl&theme=light', message);
await shot('rtl-dark', 'dir=rtl&theme=dark', message);
await shot('narrow', 'theme=light', message, small);
await shot('zoom', 'theme=light', message, { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
await shot('select', 'theme=light', async (demo) => {
  await demo.cell(6, 2).dblclick();
  await demo.page.keyboard.type('ge');
});
await shot('multi', 'theme=dark', async (demo) => demo.cell(5, 6).dblclick());
await shot('date', 'theme=light', async (demo) => demo.cell(3, 3).dblclick());
await shot('range', 'theme=light', async (demo) => {
  await demo.cell(2, 0).click();
  await demo.cell(9, 4).click({ modifiers: ['Shift'] });
});
await shot('fixed', 'theme=light', async (demo) => {
  await demo.cell(6, 2).click();
  await demo.press('D', 'E', 'Enter');
  await demo.waitUntilSaved();
});
await shot('menu', 'theme=light', async (demo) => {
  await demo.cell(0, 1).click();
  await demo.press('ArrowUp', 'Enter');
});
await shot('conflict', 'theme=light', async (demo) => {
  await demo.page.evaluate(() => (window.demo.source.behavior.conflictAt = 3));
  await demo.cell(3, 0).click();
  await demo.page.keyboard.type('Anna Weiß');
  await demo.press('Enter', 'ArrowUp');
  await demo.waitUntilSaved();
});
await shot('waiting', 'theme=light', async (demo) => {
  await demo.page.evaluate(() => (window.demo.source.behavior.outcome = 'lost'));
  await demo.cell(6, 1).click();
  await demo.page.keyboard.type('anna@example.org');
  await demo.press('Enter');
});
await shot('last', 'theme=light', async (demo) => {
  await demo.cell(0, 0).click();
  await demo.press('Control+End');
});
await shot('loading', 'theme=light&outcome=never', async () => {});
await shot('loading-rows', 'theme=light&latency=3000', async () => {});
await shot('empty', 'theme=light&rows=0&outcome=fine', async () => {});
await shot('failed', 'theme=light&outcome=failed', async () => {});
await shot('lost', 'theme=dark&outcome=lost', async () => {});
await shot('forced', 'theme=light', message, { forcedColors: 'active' });
await site.close();
