import { mkdirSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { chromium, type Browser } from 'playwright-core';
import { chromiumPath } from '../test/browser/site';
import { Person, type Look } from './person';
import { missingRequirement, Service, type Made, type ServiceSettings } from './service';

/** A running server and a browser. */
export class Environment {
  readonly service: Service;
  readonly browser: Browser;

  private constructor(service: Service, browser: Browser) {
    this.service = service;
    this.browser = browser;
  }

  static async open(settings: ServiceSettings = {}): Promise<Environment> {
    const service = await Service.start(settings);
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--js-flags=--expose-gc', '--enable-precise-memory-info'] });
    return new Environment(service, browser);
  }

  /** Opens a link in a new browser context. */
  async person(made: Pick<Made, 'review_url'>, look: Look = {}): Promise<Person> {
    const { query = '', matches = false, ...options } = look;
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: this.service.address });
    const person = new Person(await context.newPage(), this.service.address);
    await person.open(made.review_url, query, matches);
    return person;
  }

  /** Takes screenshots of the open pages of a failed test. */
  async takeScreenshots(name: string): Promise<void> {
    mkdirSync(failures, { recursive: true });
    const pages = this.browser.contexts().flatMap((context) => context.pages());
    for (const [at, page] of pages.entries()) {
      const path = `${failures}/${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${at}.png`;
      await page.screenshot({ path }).then(() => console.log(`  see ${path}`), () => {});
    }
  }

  /** Closes the pages that a test left open. */
  async clear(): Promise<void> {
    for (const context of this.browser.contexts()) await context.close();
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.close();
  }
}

const failures = '.built/e2e-failed';
let environment: Promise<Environment> | undefined;
const missing = missingRequirement(chromiumPath);

/**
 * Defines a test. All tests of a file share one environment. The test is skipped, with the
 * reason, if a requirement is missing.
 */
export function environmentTest(name: string, act: (environment: Environment, context: TestContext) => Promise<void>): void {
  test(name, { timeout: 180_000 }, async (context) => {
    if (missing) return context.skip(missing);
    const it = await (environment ??= Environment.open());
    try {
      await act(it, context);
    } catch (error) {
      await it.takeScreenshots(name);
      throw error;
    } finally {
      await it.clear();
    }
  });
}

/** Closes the environment. Pass it to after(). */
export async function closeEnvironment(): Promise<void> {
  await (await environment?.catch(() => undefined))?.close();
}
