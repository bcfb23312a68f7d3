import { mkdirSync } from 'node:fs';
import { contacts, fields } from './cells-rows';
import { Service, type ReviewPage } from './cells-service';

/** Takes screenshots of the cells step in its states: node scripts/run.mjs ../test/browser/cells-screenshots.ts [name] */
const folder = 'shots/cells';
const service = await Service.open();
if (!service) throw new Error('the service is not available');
mkdirSync(folder, { recursive: true });
const only = process.argv[2];

interface Look {
  readonly rows?: number;
  readonly csv?: string;
  readonly query?: string;
  readonly dark?: boolean;
  readonly size?: { width: number; height: number };
  readonly scale?: number;
}

async function shot(name: string, look: Look, act: (review: ReviewPage, link: string) => Promise<void> = async () => {}): Promise<void> {
  if (only && !name.includes(only)) return;
  const link = await service!.review(fields, look.csv ?? contacts(look.rows ?? 3000));
  const review = await service!.page(link, {
    query: look.query ?? '', colorScheme: look.dark ? 'dark' : 'light', viewport: look.size ?? { width: 1280, height: 800 }, deviceScaleFactor: look.scale ?? 1,
  });
  await review.page.waitForTimeout(600);
  await act(review, link).catch((error) => console.log(name, String(error)));
  await review.page.waitForTimeout(700);
  await review.page.screenshot({ path: `${folder}/${name}.png` });
  for (const pageError of review.pageErrors) console.log(name, pageError);
  await review.close();
}

const small = { width: 400, height: 760 };
const country = async ({ page }: ReviewPage) => page.locator('.c-group-head', { hasText: /Country|Land|بلد/ }).first().click();
await shot('first', {});
await shot('problem', {}, async ({ page }) => page.keyboard.press('Alt+ArrowDown'));
await shot('group', {}, country);
await shot('group-dark', { dark: true }, country);
await shot('group-de', { query: '?lang=de' }, country);
await shot('group-ar', { query: '?lang=ar' }, country);
await shot('chooser', {}, async (review) => {
  await country(review);
  await review.page.locator('.c-choose, .c-other').last().click();
});
await shot('fixed', {}, async (review) => {
  await country(review);
  await review.page.locator('.c-fix').first().click();
});
await shot('menu', {}, async (review) => {
  await review.cell(1, 0).click();
  await review.cell(4, 2).click({ modifiers: ['Shift'] });
  await review.cell(3, 1).click({ button: 'right' });
});
await shot('replace', {}, async ({ page }) => {
  await page.keyboard.press('Control+h');
  await page.keyboard.type('exa mple');
  await page.keyboard.press('Tab');
  await page.keyboard.type('example');
  await page.waitForTimeout(900);
});
await shot('replace-wrong', { dark: true }, async ({ page }) => {
  await page.keyboard.press('Control+h');
  await page.keyboard.type('(');
  await page.getByLabel('Regular expression').check();
  await page.waitForTimeout(900);
});
await shot('fixer', {}, async (review) => {
  await country(review);
  await review.page.getByRole('button', { name: 'All values…' }).click();
  await review.page.waitForTimeout(900);
  await review.page.locator('.c-line .k-select').first().click();
  await review.page.keyboard.type('ger');
  await review.page.keyboard.press('Enter');
  await review.page.waitForTimeout(900);
});
await shot('upload', {}, async ({ page }) => {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /Upload/ }).click();
});
await shot('search', {}, async ({ page }) => {
  await page.keyboard.press('Control+f');
  await page.keyboard.type('łukasz');
  await page.waitForTimeout(900);
});
await shot('empty', {}, async ({ page }) => {
  await page.keyboard.press('Control+f');
  await page.keyboard.type('nobody at all');
  await page.waitForTimeout(900);
});
await shot('calm', { csv: contacts(40).replaceAll('exa mple', 'example').replaceAll(/Germny|Absurdistan/g, 'DE').replaceAll('Archived', 'Active').replace('Anna', '') .replace(/^ Weiß/m, ',') }, async (review) => {
  await review.type(0, 0, 'Anna Weiß');
  await review.waitUntilSaved();
});
await shot('conflict', {}, async (review, link) => {
  const other = await service.page(link);
  await review.cell(2, 0).dblclick();
  await review.page.keyboard.type(' of mine');
  await other.type(2, 0, 'María of theirs');
  await other.waitUntilSaved();
  await other.close();
  await review.page.waitForTimeout(1500);
  await review.press('Enter');
});
await shot('offline', {}, async (review) => {
  service.wire.cut = true;
  await review.type(3, 1, 'person3@example.org');
  await review.page.waitForTimeout(600);
});
service.wire.cut = false;
await shot('whole-rows', { csv: `${contacts(8)}Short,row\nLong,row@example.org,DE,1990-01-01,Active,yes,1,y,z,z\n` }, async ({ page }) => {
  await page.locator('.c-group-head').first().click();
  await page.waitForTimeout(400);
  await page.locator('.ig-body .ig-number').first().hover();
});
await shot('narrow', { size: { width: 800, height: 800 } }, async ({ page }) => page.locator('.c-panel-button').click());
await shot('small', { size: small }, async ({ page }) => page.getByRole('button', { name: 'Next problem' }).click());
await shot('small-dark-ar', { size: small, dark: true, query: '?lang=ar' }, async ({ page }) => page.locator('.c-turn').last().click());
await shot('small-panel', { size: small }, async ({ page }) => page.locator('.c-panel-button').click());
await shot('zoom', { size: { width: 640, height: 400 }, scale: 2 }, async (review) => {
  await review.page.locator('.c-panel-button').click();
  await country(review);
});
await service.close();
