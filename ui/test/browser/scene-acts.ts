import type { Page } from 'playwright-core';

/** Opens a step in the rail. */
export async function openStep(page: Page, name: 'table' | 'columns' | 'cells' | 'confirm'): Promise<void> {
  const place = ['confirm', 'cells', 'columns', 'table'].indexOf(name);
  await page.locator('.rail-step:enabled').first().waitFor();
  const steps = page.locator('.rail-step');
  await steps.nth((await steps.count()) - 1 - place).click();
}

async function openColumns(page: Page): Promise<void> {
  await openStep(page, 'columns');
  await page.locator('.column-line').first().waitFor();
}

async function openConfirm(page: Page): Promise<void> {
  await openStep(page, 'confirm');
  await page.locator('.confirm-counts').waitFor();
}

async function openTable(page: Page): Promise<void> {
  await openStep(page, 'table');
  await page.locator('.top-table').waitFor();
}

/** Actions that show the subject of a scene. */
export const acts: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  table: async (page) => {
    await openTable(page);
    await page.locator('.reading summary').click();
  },
  workbook: openTable,
  sheet: (page) => page.locator('.top-table').waitFor(),
  header: (page) => page.locator('.top-table').waitFor(),
  columns: async (page) => {
    await openColumns(page);
    await page.locator('.column-why').nth(1).click();
  },
  'columns-missing': openColumns,
  values: (page) => page.keyboard.press('1'),
  confirm: openConfirm,
  blocked: openConfirm,
  cancelled: async (page) => {
    await openConfirm(page);
    await page.locator('.column-foot .k-primary').click();
    await page.locator('main .k-note').waitFor();
  },
};
