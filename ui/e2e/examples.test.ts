import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { closeEnvironment, environmentTest, type Environment } from './environment';
import { program } from './service';

// Each example file, sent through an import link with the mouse and with the keyboard alone, has byte for
// byte the result of intray run.

const folder = mkdtempSync(join(tmpdir(), 'intray-examples-'));
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await closeEnvironment();
});

const examples = resolve('../examples');
const files = readdirSync(examples).filter((name) => /\.(csv|xlsx)$/.test(name));

/** Presses Tab until an element has the focus, and keeps it: a page that has just been opened may still move it. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const hasFocus = () => page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector);
  for (let presses = 0; presses < 60; presses++) {
    if (await hasFocus()) {
      await page.waitForTimeout(200);
      if (await hasFocus()) return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${selector}`);
}

/** The ways to press a button. */
const ways: Readonly<Record<string, (page: Page, selector: string) => Promise<void>>> = {
  mouse: (page, selector) => page.locator(selector).click(),
  keyboard: async (page, selector) => {
    await page.locator(selector).waitFor();
    await tabTo(page, selector);
    await page.keyboard.press('Enter');
  },
};

async function link({ service }: Environment, file: string): Promise<string> {
  const { fields, settings } = JSON.parse(readFileSync(join(examples, `${file.split('.')[0]}.schema.json`), 'utf8')) as { fields: object; settings: object };
  const schema = await service.call<{ id: string }>('POST', '/api/v1/schemas/', JSON.stringify({ name: `${file} ${Math.random()}`, fields, settings }));
  return (await service.call<{ url: string }>('POST', '/api/v1/import-links/', JSON.stringify({ schema_id: schema.id }))).url;
}

/** Returns the result of the command line. */
function run(file: string): Buffer {
  const ran = spawnSync(program(), ['run', join(examples, file), '--schema', join(examples, `${file.split('.')[0]}.schema.json`)], { cwd: folder });
  assert.equal(ran.status, 0, ran.stderr.toString());
  return readFileSync(join(folder, `${file.split('.')[0]}.result.json`));
}

for (const [way, press] of Object.entries(ways)) {
  environmentTest(`all examples have the result of the command line, with the ${way}`, async (environment) => {
    const { service } = environment;
    assert.equal(files.length, 6);
    for (const file of files) {
      const person = await environment.person({ review_url: await link(environment, file) });
      const { page } = person;
      const chooser = page.waitForEvent('filechooser');
      await press(page, '[data-event=UPLOAD_DATA]');
      await (await chooser).setFiles(join(examples, file));
      await page.locator('.fix-head, main.values').waitFor();
      if (await page.locator('main.values').count() > 0) await press(page, 'main.values [data-event=CONTINUE]');
      await page.locator('.fix-head').waitFor();
      await press(page, '.fix-continue');
      await press(page, '[data-event=FINISH]');
      await page.locator('.state-main h1').waitFor();
      const { results: [newest] } = await service.call<{ results: { id: string }[] }>('GET', '/api/v1/headless/imports/?limit=1');
      const { presigned_url: address } = await service.call<{ presigned_url: string }>('GET', `/api/v1/headless/imports/${newest!.id}/url/`);
      const result = Buffer.from(await (await fetch(address)).arrayBuffer());
      // The command ends the file with a line break.
      assert.ok(run(file).equals(Buffer.concat([result, Buffer.from('\n')])), `${file}: ${result.length} bytes`);
      await person.closeAndCheck();
    }
  });
}
