import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';

/** Timeout in milliseconds. It is generous, because the machine may be busy. */
const patience = Number(process.env.E2E_PATIENCE ?? 60_000);

/** The appearance of the page. */
export interface Look extends BrowserContextOptions {
  readonly query?: string;
  /** Whether to stay in the step in which values are matched. */
  readonly matches?: boolean;
}

/** A user with a review in a separate browser context. Collects all errors that occur in that context. */
export class Person {
  readonly page: Page;
  /** Errors and warnings of the page, dialogs, policy violations, and requests to other origins. */
  readonly pageErrors: string[] = [];
  /** Patterns of expected errors, for example of calls while the server is down. */
  readonly expected: RegExp[] = [];
  readonly #origin: string;
  #matches = false;

  constructor(page: Page, origin: string) {
    this.page = page;
    this.#origin = origin;
    page.setDefaultTimeout(patience);
    page.on('pageerror', (error) => this.pageErrors.push(`error: ${error}`));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.pageErrors.push(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      if (dialog.type() !== 'beforeunload') this.pageErrors.push(`dialog: ${dialog.message()}`);
      void dialog.accept();
    });
    page.context().on('request', (request) => {
      if (new URL(request.url()).origin !== origin && !request.url().startsWith(`blob:${origin}`)) this.pageErrors.push(`left the origin: ${request.url()}`);
    });
    page.on('popup', (popup) => this.pageErrors.push(`popup: ${popup.url()}`));
  }

  /** Opens a link and waits until the page is ready. */
  async open(link: string, query = '', matches = false): Promise<void> {
    const [path, hash] = link.slice(this.#origin.length).split('#');
    await this.page.addInitScript(watchPolicy);
    await this.page.goto(`${this.#origin}${path}${query}${hash === undefined ? '' : `#${hash}`}`);
    this.#matches = matches;
    await this.ready();
  }

  /** Waits until the page shows rows or any other content. Leaves the step in which values are matched, unless the test is about it. */
  async ready(): Promise<void> {
    await this.#shown();
    const values = this.page.locator('main.values');
    if (this.#matches || await values.count() === 0) return;
    await values.locator('[data-event=CONTINUE]').click();
    await values.waitFor({ state: 'detached' });
    await this.#shown();
  }

  async #shown(): Promise<void> {
    await this.page.locator('.ig-row:not(.is-waiting) .ig-cell, .c-card-field, .column-head h1, .state-main h1, .import-head h1').first().waitFor({ state: 'attached' });
  }

  /**
   * Returns the locator of a cell by row index in the view and column position, both
   * counted from 0.
   */
  cell(row: number, col: number): Locator {
    return this.page.locator(`.ig-body .ig-row[aria-rowindex="${row + 2}"] .ig-cell[aria-colindex="${col + 2}"]`);
  }

  /** Returns the locator of the invalid cells that show the given text. */
  invalidCells(text: string): Locator {
    return this.page.locator('.ig-body .ig-cell.has-error').filter({ has: this.page.locator(`.ig-text:text-is(${JSON.stringify(text)})`) });
  }

  /** Returns the locator of a problem group by its field label. */
  group(field: string): Locator {
    return this.page.locator('.c-group', { has: this.page.locator(`.c-group-owner:text-is(${JSON.stringify(field)})`) });
  }

  /** Returns the number of rows that a tab shows. */
  async count(tab: string): Promise<number> {
    const text = await this.page.locator('.k-tab', { hasText: tab }).locator('.c-tab-count').textContent();
    return Number(text!.replaceAll(/\D/g, ''));
  }

  /** Waits until a tab shows a number. */
  async waitForCount(tab: string, wanted: number): Promise<void> {
    await this.page.locator('.k-tab', { hasText: tab }).locator(`.c-tab-count:text-is("${wanted.toLocaleString('en')}")`).waitFor();
  }

  /** Types into a cell and presses Enter. */
  async type(row: number, col: number, text: string): Promise<void> {
    await this.cell(row, col).click();
    await this.page.keyboard.type(text);
    await this.press('Enter');
  }

  /** Waits until the status bar shows that everything is saved. */
  async waitUntilSaved(): Promise<void> {
    await this.page.locator('.c-saving.is-saved').waitFor();
  }

  /** Waits until the status bar shows a result. */
  async waitForOutcome(text: string | RegExp): Promise<void> {
    await this.page.locator('.c-outcome').getByText(text).first().waitFor();
  }

  /** Waits until elements show exactly these texts. Counts line breaks as spaces. */
  async waitForTexts(elements: Locator, wanted: string[]): Promise<void> {
    const end = Date.now() + patience;
    for (;;) {
      const texts = (await elements.allInnerTexts()).map((text) => text.replaceAll(/\s*\n\s*/g, ' '));
      if (isDeepStrictEqual(texts, wanted)) return;
      if (Date.now() > end) assert.deepEqual(texts, wanted);
      await this.page.waitForTimeout(50);
    }
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  /** Closes the page. Throws an error if pageErrors contains an unexpected one. */
  async closeAndCheck(): Promise<void> {
    const refused = await this.page.evaluate(() => (window as unknown as { refused?: string[] }).refused ?? []).catch(() => []);
    const heard = [...this.pageErrors, ...refused.map((one) => `policy: ${one}`)];
    await this.page.context().close();
    assert.deepEqual(heard.filter((one) => !this.expected.some((known) => known.test(one))), []);
  }
}

/** Runs in the page. Records violations of the content security policy. */
function watchPolicy(): void {
  const list: string[] = [];
  (window as unknown as { refused: string[] }).refused = list;
  addEventListener('securitypolicyviolation', (event) => list.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
}
