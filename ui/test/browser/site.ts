import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import type {} from '../../demo/window';
import { demoDir } from '../../places.mjs';

/** The server's content security policy. */
export const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
export const kinds: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
export const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** The built demo with the server's policy, and a browser. */
export class Site {
  readonly #server: Server;
  readonly #browser: Browser;
  readonly #address: string;

  private constructor(server: Server, browser: Browser, address: string) {
    this.#server = server;
    this.#browser = browser;
    this.#address = address;
  }

  static async open(): Promise<Site> {
    const server = createServer((request, answer) => {
      const path = normalize(new URL(request.url!, 'http://x').pathname);
      const file = join(demoDir, path);
      if (!existsSync(file) || !extname(file)) return void answer.writeHead(404).end();
      answer.writeHead(200, { 'content-type': `${kinds[extname(file)] ?? 'text/plain'}; charset=utf-8`, 'content-security-policy': policy });
      answer.end(readFileSync(file));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address() as { port: number };
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ['--no-sandbox', '--js-flags=--expose-gc', '--enable-precise-memory-info'],
    });
    return new Site(server, browser, `http://127.0.0.1:${address.port}`);
  }

  /** Opens the demo. Errors and warnings of the page are collected in pageErrors. */
  async page(query = '', options: BrowserContextOptions = {}): Promise<DemoPage> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: this.#address });
    const page = await context.newPage();
    const demo = new DemoPage(page);
    await page.addInitScript(markFirstRows);
    await page.goto(`${this.#address}/demo/index.html?${query}`);
    if (!/outcome=/.test(query)) await page.waitForSelector('.ig-row:not(.is-waiting) .ig-cell');
    return demo;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }
}

/** The demo page in a browser, with actions for tests. */
export class DemoPage {
  readonly page: Page;
  readonly pageErrors: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.pageErrors.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !/404/.test(message.text())) this.pageErrors.push(message.text());
    });
  }

  /** Returns the locator of a cell by row index and column position, both counted from 0. */
  cell(row: number, col: number) {
    return this.page.locator(`.ig-body .ig-row[aria-rowindex="${row + 2}"] .ig-cell[aria-colindex="${col + 2}"]`);
  }

  /** Activates a cell, even if it is not visible. */
  async reach(row: number, column: string): Promise<void> {
    await this.page.evaluate(([at, key]) => window.demo.grid!.goToRow(at, key), [row, column] as const);
  }

  async text(row: number, col: number): Promise<string> {
    return (await this.cell(row, col).textContent()) ?? '';
  }

  /** Returns the row and column of the focused cell, both counted from 0. The header is row -1. */
  focused(): Promise<{ row: number; col: number } | null> {
    return this.page.evaluate(() => {
      const cell = document.activeElement?.closest('[aria-colindex]');
      const row = cell?.closest('[aria-rowindex]');
      if (!cell || !row) return null;
      return { row: Number(row.getAttribute('aria-rowindex')) - 2, col: Number(cell.getAttribute('aria-colindex')) - 2 };
    });
  }

  /** Waits until all changes are saved. */
  async waitUntilSaved(): Promise<void> {
    await this.page.waitForFunction(() => window.demo.grid?.pending === 0);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

/** Runs in the page. Records when rows are first drawn. */
function markFirstRows(): void {
  const look = () => {
    if (document.querySelector('.ig-row:not(.is-waiting) .ig-cell')) performance.mark('rows');
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
