import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fields } from './cells-rows';
import { Service, type ReviewPage } from './cells-service';

/** Countries as files have them: by code, by name, and one that is none. */
const csv = 'Name,E-mail,Country\nAnna,a@example.org,DE\nBo,b@example.org,Germany\nCleo,c@example.org,FR\nDan,d@example.org,Germny\n';

let service: Service | null;
before(async () => void (service = await Service.open()));
after(() => service?.close());

function review(name: string, language: string, act: (page: ReviewPage) => Promise<void>): void {
  test(name, async (context) => {
    if (!service) return context.skip('there is neither the program nor Go to build it');
    const page = await service.page(await service.review(fields.slice(0, 3), csv), { viewport: { width: 1600, height: 900 }, query: `?lang=${language}` });
    await act(page);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });
}

const countries = ({ page }: ReviewPage) => page.locator('.ig-body .ig-row:not(.is-waiting) .ig-cell[aria-colindex="4"]');

/** Searches, and waits until the table shows these countries and nothing else. */
async function search(it: ReviewPage, text: string, ...wanted: string[]): Promise<void> {
  await it.page.locator('.c-sought input').fill(text);
  await shows(it, ...wanted);
}

async function shows(it: ReviewPage, ...wanted: string[]): Promise<void> {
  for (let tries = 0; tries < 100 && (await countries(it).allTextContents()).join() !== wanted.join(); tries++) await it.page.waitForTimeout(50);
  assert.deepEqual(await countries(it).allTextContents(), wanted);
  assert.equal(await it.page.locator('.ig-row.is-past').count(), 0);
}

for (const [language, germany, france] of [['en', 'Germany', 'France'], ['de', 'Deutschland', 'Frankreich']] as const) {
  review(`what the table shows is found and replaced: ${language}`, language, async (it) => {
    await shows(it, germany, 'Germany', france, 'Germny');
    await search(it, germany.slice(0, 6), ...(language === 'en' ? [germany, germany] : [germany]));
    await search(it, 'FR', france);
    await search(it, '', germany, 'Germany', france, 'Germny');
    await it.press('Control+h');
    await it.page.locator('.c-replace input').first().fill(germany);
    await it.page.locator('.c-replace input').nth(1).fill(france);
    await it.page.locator('dialog .k-primary:enabled').click();
    await shows(it, france, language === 'en' ? france : 'Germany', france, 'Germny');
  });
}
