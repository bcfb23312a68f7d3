import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { outDir } from '../../places.mjs';
import { chromiumPath, kinds, policy } from './site';

const binary = process.env.INTRAY_BINARY ?? resolve('.built/intray');
const dist = process.env.INTRAY_UI_DIST ?? outDir;
const secret = '0123456789abcdef0123456789abcdef0123456789abcdef';
const key = `bk_${secret}`;

/** A field of a schema, as in the API. */
export type Field = { key: string; label: string } & Record<string, unknown>;

interface CallAnswer {
  readonly id: string;
  readonly upload: string;
  readonly review_url: string;
  readonly status: string;
  readonly import_errors: unknown;
}

/** Failures that tests can inject between the page and the server. */
export interface Wire {
  /** Whether to drop the response of a call that has reached the server. */
  lose: (method: string, path: string) => boolean;
  /** Whether to drop all calls before they reach the server. */
  cut: boolean;
}

/** The real server, a proxy that serves the built page, and a browser. */
export class Service {
  readonly wire: Wire = { lose: () => false, cut: false };
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #front: Server;
  readonly #browser: Browser;
  readonly #port: number;
  readonly address: string;

  private constructor(process: ChildProcess, folder: string, front: Server, browser: Browser, port: number) {
    this.#process = process;
    this.#folder = folder;
    this.#front = front;
    this.#browser = browser;
    this.#port = port;
    this.address = `http://127.0.0.1:${(front.address() as { port: number }).port}`;
  }

  /**
   * Starts the server. Returns null if the file in INTRAY_BINARY does not exist or, without this
   * variable, if the program cannot be built.
   */
  static async open(): Promise<Service | null> {
    if (!built()) return null;
    const folder = mkdtempSync(join(tmpdir(), 'intray-cells-'));
    const port = await freePort();
    const env = { ...process.env, INTRAY_BACKEND_KEY: key, INTRAY_FRONTEND_KEY: `fk_${secret}` };
    const running = spawn(binary, ['serve', '--data', folder, '--listen', `127.0.0.1:${port}`], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    await answering(port, running);
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ['--no-sandbox', '--js-flags=--expose-gc', '--enable-precise-memory-info'],
    });
    const front = createServer();
    await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
    const service = new Service(running, folder, front, browser, port);
    front.on('request', (asked, answer) => service.#serve(asked, answer));
    return service;
  }

  /** Creates an import that needs a review. Returns the path of its page, including the token. */
  async review(fields: readonly Field[], csv: string, settings: object = {}, hooks: object = {}): Promise<string> {
    const body = { fields, original_filename: 'contacts.csv', settings: { title: 'Contacts', invalidDataBehavior: 'BLOCK_SUBMIT', ...settings }, hooks };
    const made = await this.#call('POST', '/api/v1/headless/imports/', JSON.stringify(body));
    await this.#call('PUT', new URL(made.upload).pathname + new URL(made.upload).search, csv, 'text/csv');
    for (let tries = 0; tries < 600; tries++) {
      const now = await this.#call('GET', `/api/v1/headless/imports/${made.id}/`);
      if (now.status === 'NEEDS_REVIEW') return new URL(now.review_url).pathname + new URL(now.review_url).hash;
      if (now.status === 'FAILED' || now.status === 'SUCCESSFUL') throw new Error(`the import is ${now.status}: ${JSON.stringify(now.import_errors)}`);
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error('the import did not finish');
  }

  /** Opens a review in a new browser context. */
  async page(link: string, options: BrowserContextOptions & { readonly query?: string } = {}): Promise<ReviewPage> {
    const { query = '', ...rest } = options;
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...rest });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: this.address });
    const page = await context.newPage();
    const review = new ReviewPage(page);
    const [path, hash] = link.split('#');
    await page.goto(`${this.address}${path}${query}#${hash}`);
    await page.waitForSelector('.ig-row:not(.is-waiting) .ig-cell, .ig-sign, .c-card-field', { state: 'attached' });
    return review;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#front.closeAllConnections();
    this.#front.close();
    this.#process.kill('SIGTERM');
    await new Promise((done) => this.#process.once('exit', done));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #call(method: string, path: string, body?: string, type = 'application/json'): Promise<CallAnswer> {
    const headers: Record<string, string> = { 'X-Service-License-Key': key, ...(body !== undefined && { 'Content-Type': type }) };
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, { method, headers, ...(body !== undefined && { body }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json().catch(() => ({}))) as CallAnswer;
  }

  /** Serves the built pages, and forwards API requests to the server. */
  #serve(asked: import('node:http').IncomingMessage, answer: import('node:http').ServerResponse): void {
    const { pathname } = new URL(asked.url!, 'http://x');
    if (pathname.startsWith('/api/')) return this.#pass(asked, answer);
    const file = join(dist, pathname.startsWith('/review/') ? 'review.html' : pathname);
    if (!existsSync(file) || !extname(file)) return void answer.writeHead(404).end();
    answer.writeHead(200, { 'content-type': `${kinds[extname(file)] ?? 'text/plain'}; charset=utf-8`, 'content-security-policy': policy });
    answer.end(readFileSync(file));
  }

  #pass(asked: import('node:http').IncomingMessage, answer: import('node:http').ServerResponse): void {
    if (this.wire.cut) return void asked.socket.destroy();
    const { origin: _, ...headers } = asked.headers;
    const onward = request({ host: '127.0.0.1', port: this.#port, path: asked.url!, method: asked.method!, headers: { ...headers, 'sec-fetch-site': 'same-origin' } }, (came) => {
      if (this.wire.lose(asked.method!, asked.url!)) return void came.resume().on('end', () => asked.socket.destroy());
      answer.writeHead(came.statusCode!, came.headers);
      came.pipe(answer);
    });
    onward.on('error', () => asked.socket.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  }
}

/** A review page in a browser, with actions for tests. */
export class ReviewPage {
  readonly page: Page;
  readonly pageErrors: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.pageErrors.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.pageErrors.push(message.text());
    });
  }

  /** Returns the locator of a cell by row index and column position, both counted from 0. */
  cell(row: number, col: number) {
    return this.page.locator(`.ig-body .ig-row[aria-rowindex="${row + 2}"] .ig-cell[aria-colindex="${col + 2}"]`);
  }

  /** Returns the locator of a problem group by its field label. */
  group(field: string) {
    return this.page.locator('.c-group', { has: this.page.locator(`.c-group-owner:text-is("${field}")`) });
  }

  /** Returns the number of rows that a tab shows. */
  async count(tab: string): Promise<number> {
    const text = await this.page.locator('.k-tab', { hasText: tab }).locator('.c-tab-count').textContent();
    return Number(text!.replaceAll(',', ''));
  }

  /** Waits until the number that a tab shows is less than `than`. */
  async waitForFewer(tab: string, than: number): Promise<void> {
    const wrong = new RegExp(`^${than.toLocaleString('en')}$`);
    await this.page.locator('.k-tab', { hasText: tab }).locator('.c-tab-count').filter({ hasNotText: wrong }).waitFor();
    assert.ok((await this.count(tab)) < than);
  }

  /** Waits until a tab shows a number. */
  async waitForCount(tab: string, wanted: number): Promise<void> {
    await this.page.locator('.k-tab', { hasText: tab }).locator(`.c-tab-count:text-is("${wanted.toLocaleString('en')}")`).waitFor();
  }

  /** Types into a cell and presses Enter. */
  async type(row: number, col: number, text: string): Promise<void> {
    await this.cell(row, col).click();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** Waits until the status bar shows that everything is saved. */
  async waitUntilSaved(): Promise<void> {
    await this.page.locator('.c-saving.is-saved').waitFor();
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}

function built(): boolean {
  if (process.env.INTRAY_BINARY) return existsSync(binary);
  const { status } = spawnSync('go', ['build', '-o', binary, './cmd/intray'], { cwd: '..', stdio: 'inherit' });
  return status === 0;
}

async function answering(port: number, running: ChildProcess): Promise<void> {
  let said = '';
  running.stderr!.on('data', (chunk) => (said += chunk));
  for (let tries = 0; tries < 200 && running.exitCode === null; tries++) {
    const up = await fetch(`http://127.0.0.1:${port}/healthz`).then(() => true, () => false);
    if (up) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`the service did not start: ${said}`);
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const socket = createSocket();
    socket.listen(0, '127.0.0.1', () => {
      const { port } = socket.address() as { port: number };
      socket.close(() => done(port));
    });
  });
}
