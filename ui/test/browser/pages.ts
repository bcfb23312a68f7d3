import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { outDir } from '../../places.mjs';
import { Fake, type Scene } from './fake-service';
import { chromiumPath, kinds, policy } from './site';

const id = '0f8fad5b-d9cb-469f-a165-70867728950e';

export interface Opened {
  readonly page: Page;
  readonly fake: Fake;
  /** Errors and warnings of the page. */
  readonly pageErrors: string[];
  close(): Promise<void>;
}

/** The built pages, with a fake of the server's API. */
export class Pages {
  readonly #browser: Browser;
  readonly #folder: string;
  readonly #servers = new Set<Server>();

  private constructor(browser: Browser, folder: string) {
    this.#browser = browser;
    this.#folder = folder;
  }

  static async open(): Promise<Pages> {
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    return new Pages(browser, process.env.PAGES ?? outDir);
  }

  /** Opens the review page in a scene, with its own fake server. */
  async review(scene: Scene, query = '', options: BrowserContextOptions = {}, token = '#token'): Promise<Opened> {
    const fake = new Fake(scene);
    const server = createServer((request, answer) => {
      const path = normalize(new URL(request.url!, 'http://x').pathname);
      if (path.startsWith('/api/')) return void fake.serve(request, answer);
      this.#file(path, answer);
    });
    this.#servers.add(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options });
    const page = await context.newPage();
    const pageErrors = listen(page);
    await page.goto(`http://127.0.0.1:${port}/review/${id}${query && `?${query}`}${token}`);
    return { page, fake, pageErrors, close: async () => { await context.close(); stop(server); } };
  }

  #file(path: string, answer: import('node:http').ServerResponse): void {
    const name = path.startsWith('/review/') ? 'review.html' : path === '/' ? 'index.html' : path;
    const file = join(this.#folder, name);
    if (!existsSync(file) || !extname(file)) return void answer.writeHead(404).end();
    answer.writeHead(200, { 'content-type': `${kinds[extname(file)] ?? 'image/svg+xml'}; charset=utf-8`, 'content-security-policy': policy });
    answer.end(readFileSync(file));
  }

  async close(): Promise<void> {
    await this.#browser.close();
    // Servers of failed tests are still running.
    for (const server of this.#servers) stop(server);
  }
}

function listen(page: Page): string[] {
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  page.on('console', (message) => {
    // Browsers log every error response, so ignore those messages.
    if (['error', 'warning'].includes(message.type()) && !/Failed to load resource/.test(message.text())) pageErrors.push(message.text());
  });
  return pageErrors;
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}
