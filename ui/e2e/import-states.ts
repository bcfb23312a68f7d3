import type { Frame, Page } from 'playwright-core';
import type { Environment } from './environment';
import type { Look } from './person';
import type { Service } from './service';
import { choose, csv, fields as fewFields, frontendKey, inline, openProduct, settings } from './product';

/** The fields of the list that a link asks for. */
export const fields = [
  { key: 'number', label: 'Customer no.', description: 'Your own number. We show it on all invoices.', validators: [{ validate: 'required' }, { validate: 'unique' }] },
  { key: 'name', label: 'Company', validators: [{ validate: 'required' }] },
  { key: 'email', label: 'Email for invoices', type: 'email' },
  { key: 'country', label: 'Country', type: 'country' },
  { key: 'plan', label: 'Plan', type: 'select', selectOptions: [{ label: 'Starter', value: 's' }, { label: 'Business', value: 'b' }, { label: 'Enterprise', value: 'e' }] },
  { key: 'since', label: 'Customer since', type: 'date' },
];

const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="32" viewBox="0 0 120 32"><rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M9 23V9l14 14V9" fill="none" stroke="#fff" stroke-width="3"/></svg>`;

/** A state of the page of a link or of an embedded importer, until a file has been sent. Selectors do not depend on the language. */
export interface ImportState {
  readonly name: string;
  /** Opens the page in this state. Returns the frame to inspect. */
  readonly open: (environment: Environment, look: Look) => Promise<{ page: Page; frame: Frame }>;
}

/** Creates a link with a page, and returns its address. */
export async function linkUrl(service: Service, properties: object = {}): Promise<string> {
  const schema = await service.call<{ id: string }>('POST', '/api/v1/schemas/', JSON.stringify({ name: `Customers ${Math.random()}`, fields, settings: { invalidDataBehavior: 'BLOCK_SUBMIT' } }));
  const page = { title: 'Your customer list', text: 'We set up your Northwind account with it. It takes about five minutes.', company: 'Northwind', contact: 'onboarding@northwind.example', accentColor: '#0f766e' };
  const link = await service.call<{ id: string; url: string }>('POST', '/api/v1/import-links/', JSON.stringify({ schema_id: schema.id, page, ...properties }));
  await service.call('PUT', `/api/v1/import-links/${link.id}/logo/`, logo, 'image/svg+xml').catch(() => {});
  return link.url;
}

/** Returns a state of the page of a link. */
function ofLink(name: string, act: (page: Page) => Promise<unknown> = async () => {}, properties: object = {}, prepare: (page: Page) => Promise<unknown> = async () => {}): ImportState {
  return {
    name,
    open: async (environment, { query = '', ...options }) => {
      const context = await environment.browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
      const page = await context.newPage();
      await prepare(page);
      await page.goto((await linkUrl(environment.service, properties)).replace(/$/, query));
      await page.locator('h1').first().waitFor();
      await act(page);
      return { page, frame: page.mainFrame() };
    },
  };
}

/** Returns a state of an importer in a page. */
function ofWidget(name: string, setUp: string, given: object, act: (page: Page, widget: ReturnType<Page['frameLocator']>) => Promise<unknown>): ImportState {
  return {
    name,
    open: async (environment, { query, ...options }) => {
      const locale = /lang=(\w+)/.exec(query ?? '')?.[1] ?? 'en';
      const { page, widget } = await openProduct(environment, setUp, { key: frontendKey, fields: fewFields, settings: { ...settings, title: 'Contacts', locale }, ...given }, options);
      await page.locator('#open').click();
      await act(page, widget);
      return { page, frame: (await (await page.locator('iframe').first().elementHandle())!.contentFrame())! };
    },
  };
}

const file = (name: string, content: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
const send = (page: Page, name: string, content: string) => page.locator('input[type=file]').setInputFiles(file(name, content));
/** Keeps uploads from ending. */
const hold = (page: Page) => page.route(/\/upload\//, (route) => (route.request().method() === 'PATCH' ? undefined : route.continue()));

export const importStates: readonly ImportState[] = [
  ofLink('link'),
  ofLink('link-rows', async (page) => {
    await page.locator('[data-event=ENTER_DATA]').click();
    const cells = ['K-1001', 'Hansen & Söhne', 'buchhaltung@hansen.example', 'Germany', 'Business', '2019-04-01', 'K-1002', 'Aoife Foods Ltd', 'accounts@aoife'];
    for (const [at, text] of cells.entries()) await page.locator(`[data-cell="${Math.floor(at / 6)} ${at % 6}"]`).fill(text);
  }),
  ofLink('link-paste', async (page) => {
    await page.locator('.drop-actions button').nth(1).click();
    await page.locator('textarea').fill('Customer no.\tCompany\tCountry\nK-1\tHansen\tGermany\nK-2\tAoife Foods\tIreland\n');
  }),
  ofLink('link-refused', async (page) => {
    await send(page, 'scan.pdf', '%PDF-1.7');
    await page.locator('[role=alert] button').waitFor();
  }),
  ofLink('link-uploading', async (page) => {
    await send(page, 'customers.csv', `Customer no.,Company\n${'K-1,Hansen\n'.repeat(400_000)}`);
    await page.locator('[role=progressbar], progress').first().waitFor();
    await page.waitForTimeout(500);
  }, {}, hold),
  ofLink('link-password', undefined, { password: 'northwind' }),
  ofLink('link-unknown', undefined, {}, (page) => page.route('**/api/in/v1/session/', (route) => route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer x' } }))),
  ofWidget('widget', inline, {}, (_, widget) => widget.locator('.drop').waitFor()),
  ofWidget('widget-leave', inline, {}, async (_, widget) => {
    await choose(widget, 'contacts.csv', csv);
    await widget.locator('.fix-head').waitFor();
    await widget.locator('.corner-close').click();
    await widget.locator('dialog').waitFor();
  }),
  ofWidget('widget-step', inline.replace('return uploader', "uploader.registerCustomStep({ id: 'plan', insertAfter: 'HEADER_SELECT', label: 'Plan', url: location.origin.replace('localhost', '127.0.0.1') + '/step' }); return uploader"), {}, async (_, widget) => {
    await choose(widget, 'contacts.csv', csv);
    await widget.frameLocator('.custom-step iframe').locator('#next').waitFor();
  }),
  ofWidget('widget-confirm', inline.replace('return uploader', "document.getElementById('open').addEventListener('click', () => setTimeout(() => uploader.setConfirmationMessage('<p>These people get an <b>invitation</b> by email.</p>', { submitButtonText: 'Invite them', cancelButtonText: 'Not yet' }), 500)); return uploader"), {}, async (page, widget) => {
    await page.waitForTimeout(1000);
    await choose(widget, 'contacts.csv', csv.replace('ben@example\n', 'ben@example.org\n'));
    await widget.locator('.fix-continue').click();
    await widget.locator('[data-event=FINISH]').click();
    await widget.locator('dialog').waitFor();
  }),
  ofWidget('widget-refused', inline, { settings: { ...settings, developmentMode: false } }, (_, widget) => widget.locator('h1').waitFor()),
];
