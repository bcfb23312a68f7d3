import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import type { Environment } from './environment';
import { HostPage } from './host-page';

/** The frontend key of the service. */
export const frontendKey = 'fk_0123456789abcdef0123456789abcdef0123456789abcdef';
export const fields = [
  { key: 'name', label: 'Name', validators: [{ validate: 'required' }] },
  { key: 'email', label: 'Email', type: 'email' },
];
export const settings = { importIdentifier: 'contacts', developmentMode: true, invalidDataBehavior: 'BLOCK_SUBMIT' };
export const csv = 'Name,E-Mail\nAnna,anna@example.org\nBen,ben@example\n';

/** What the client hands over to the page. */
export interface Handed {
  readonly results: { data: Record<string, unknown>[]; metadata: Record<string, unknown> }[];
  readonly cancelled: number;
}

/** Opens a page of a product in a browser, and runs the script that sets up the importer. */
export async function openProduct(environment: Environment, setUp: string, given: Record<string, unknown> = {}, look: BrowserContextOptions = {}, script?: () => void): Promise<{ page: Page; widget: FrameLocator; handed: () => Promise<Handed>; host: HostPage }> {
  const host = await HostPage.start(environment.service.address);
  const context = await environment.browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...look });
  context.on('close', () => host.close());
  if (script) await context.addInitScript(script);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(host.origin);
  await page.evaluate(({ setUp, given }) => {
    const handed: { results: unknown[]; cancelled: number } = { results: [], cancelled: 0 };
    const make = new Function('given', 'handed', setUp);
    Object.assign(globalThis, { handed, uploader: make(given, handed) });
  }, { setUp, given });
  const handed = () => page.evaluate(() => (globalThis as unknown as { handed: Handed }).handed);
  return { page, widget: page.frameLocator('iframe'), handed, host };
}

/** Sets up the published client with an inline schema. */
export const inline = `
  const uploader = new DromoUploader(given.key, given.fields, given.settings, { id: '7', name: 'Ada' });
  uploader.onResults((data, metadata) => { handed.results.push({ data, metadata }); });
  uploader.onCancel(() => { handed.cancelled++; });
  document.getElementById('open').onclick = () => uploader.open();
  return uploader;`;

export async function choose(widget: FrameLocator, name: string, content: string): Promise<void> {
  await widget.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
}

/** Submits the rows under review. `name` is the name of the button. */
export async function submit(widget: FrameLocator, name: string): Promise<void> {
  await widget.locator('.fix-continue').click();
  await widget.getByRole('button', { name }).click();
}
