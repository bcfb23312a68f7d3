import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Frame, type Page } from 'playwright-core';
import type { createImporter, Importer, ImporterOptions } from '@intray/importer';

declare global {
  interface Window {
    Intray: { createImporter: typeof createImporter };
    importers: Record<string, Importer>;
    /** Calls of callbacks, with their arguments. */
    calls: any[][];
  }
}

/** A strict policy of a page that embeds the importer. SERVER is replaced by the origin of the server. */
export const strictPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; frame-src SERVER; base-uri 'none'; require-trusted-types-for 'script'";

const childPolicy = "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'";

async function listen(handler: RequestListener): Promise<[Server, string]> {
  const server = createServer(handler);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return [server, `http://127.0.0.1:${(server.address() as { port: number }).port}`];
}

/** A server of pages, a server of importers, and a browser. */
export class Site {
  /** The origin of the importers. */
  readonly server: string;
  readonly origin: string;
  readonly #servers: Server[];
  readonly #browser: Browser;

  private constructor(servers: Server[], origin: string, server: string, browser: Browser) {
    this.#servers = servers;
    this.origin = origin;
    this.server = server;
    this.#browser = browser;
  }

  static async open(): Promise<Site> {
    const pages = process.env.PAGES!;
    const [importers, server] = await listen((request, answer) => {
      const path = new URL(request.url!, 'http://x').pathname;
      const [, mode] = path.split('/');
      if (path.endsWith('/child.js')) return void answer.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(pages, 'child.js')));
      if (!path.endsWith('/widget/')) return void answer.writeHead(404).end();
      if (mode === 'moved') return void answer.writeHead(302, { location: `${server.replace('127.0.0.1', 'localhost')}/ok/widget/` }).end();
      const ancestors = mode === 'refused' ? "; frame-ancestors 'none'" : '';
      answer.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': childPolicy + ancestors });
      answer.end(`<!doctype html><title>Importer</title><button id=inside>Inside</button>${mode === 'silent' ? '' : '<script src="child.js"></script>'}`);
    });
    const [hosts, origin] = await listen((request, answer) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://x');
      if (pathname.endsWith('.js')) {
        const file = pathname === '/intray.iife.js' ? 'importer/dist/intray.iife.js' : join(pages, pathname);
        return void answer.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(file));
      }
      if (pathname === '/hostile.css') {
        const css = 'body * { display: none !important; opacity: 0 !important; transform: scale(0) !important } iframe, dialog, div { width: 1px !important; height: 1px !important; position: static !important; pointer-events: none !important }';
        return void answer.writeHead(200, { 'content-type': 'text/css' }).end(css);
      }
      const policy = searchParams.get('policy');
      answer.writeHead(200, { 'content-type': 'text/html', ...(policy ? { 'content-security-policy': policy.replaceAll('SERVER', server) } : {}) });
      const script = searchParams.get('script') ?? 'intray.iife';
      const style = searchParams.has('hostile') ? '<link rel="stylesheet" href="/hostile.css">' : '';
      answer.end(`<!doctype html><html lang=en><title>Host</title>${style}<body><main><h1>Host</h1><button id=outside>Open</button><div id=app></div></main><script src="/${script}.js"></script>`);
    });
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
    return new Site([importers, hosts], origin, server, browser);
  }

  /** Opens a page with the given parameters: policy, script, hostile. */
  async page(parameters: Record<string, string> = {}): Promise<Host> {
    const context = await this.#browser.newContext();
    const page = await context.newPage();
    const host = new Host(page, context, this.server);
    await page.goto(`${this.origin}/?${new URLSearchParams({ server: `${this.server}/ok`, ...parameters })}`);
    return host;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}

/** Options of an importer in a test. `mode` selects how the stand-in behaves, `log` records callbacks. */
export type TestOptions = Partial<Omit<ImporterOptions, 'server'>> & { mode?: string };

/** A page with importers, which the tests access as `importers[name]`. */
export class Host {
  readonly page: Page;
  readonly warnings: string[] = [];
  readonly problems: string[] = [];
  readonly #context: BrowserContext;
  readonly #server: string;

  constructor(page: Page, context: BrowserContext, server: string) {
    this.page = page;
    this.#context = context;
    this.#server = server;
    page.on('pageerror', (error) => this.problems.push(String(error)));
    page.on('console', (message) => {
      const text = message.text();
      if (text.startsWith('[intray]')) this.warnings.push(text);
      else if (message.type() === 'error' && !/favicon|404/.test(text)) this.problems.push(text);
    });
  }

  /** Creates an importer, and records its callbacks. Tests add functions with `importers.it.update`. */
  async create(options: TestOptions = {}, name = 'it'): Promise<void> {
    const { mode = 'ok', ...rest } = options;
    const given = { server: `${this.#server}/${mode}`, key: 'fk_test', schema: 'contacts', ...rest };
    await this.page.evaluate(
      ([given, name]) => {
        window.calls ??= [];
        window.importers ??= {};
        const callbacks: any = { onError: (error: any) => void window.calls.push(['onError', error.code, error.message]) };
        for (const callback of ['onResults', 'onCancel', 'onEvent', 'onClose']) {
          callbacks[callback] = (...args: unknown[]) => void (window.calls[window.calls.length] = [callback, ...args]);
        }
        window.importers[name] = window.Intray.createImporter({ ...given, ...callbacks });
      },
      [given, name] as const,
    );
  }

  /** Creates and opens an importer, and returns its frame. */
  async open(options: TestOptions = {}): Promise<Frame> {
    await this.create(options);
    await this.page.evaluate(() => window.importers.it!.open());
    return this.child();
  }

  callbacks(): Promise<any[]> {
    return this.page.evaluate(() => window.calls);
  }

  /** Waits for the frame of an importer that has connected. */
  async child(index = 0): Promise<Frame> {
    for (let tries = 0; tries < 600; tries++) {
      const frame = this.page.frames().filter((one) => one.url().includes('/widget/'))[index];
      if (frame && (await frame.evaluate(() => !!window.child?.calls.some(([name]) => /^init/.test(name))).catch(() => false))) return frame;
      await this.page.waitForTimeout(25);
    }
    throw new Error('the frame did not connect');
  }

  async close(): Promise<void> {
    assert.deepEqual(this.problems, []);
    await this.#context.close();
  }
}
