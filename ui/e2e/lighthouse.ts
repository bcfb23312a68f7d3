import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../test/browser/site';
import { contacts, fields } from './contacts';
import { linkUrl } from './import-states';
import { freePort, Service } from './service';

/** Prints Lighthouse reports of the review page, with its values and its rows, and of the page of a link with the real server: node e2e/run.mjs lighthouse */
interface Report {
  readonly lhr: {
    readonly categories: Readonly<Record<string, { readonly score: number | null; readonly auditRefs: readonly { readonly id: string; readonly weight: number }[] }>>;
    readonly audits: Readonly<Record<string, { readonly title: string; readonly score: number | null; readonly displayValue?: string; readonly errorMessage?: string }>>;
    readonly runtimeError?: { readonly message: string };
  };
}
type Lighthouse = (url: string, flags: object, config?: object) => Promise<Report | undefined>;

const goals: Readonly<Record<string, number>> = { performance: 95, accessibility: 100, 'best-practices': 100 };
const entry = resolve('e2e/lighthouse/node_modules/lighthouse/core/index.js');
if (!existsSync(entry)) throw new Error('Lighthouse is not installed: npm ci --prefix e2e/lighthouse');
const { default: lighthouse, desktopConfig } = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as { default: Lighthouse; desktopConfig: object };

const service = await Service.start();
const values = await service.make({ fields, file: contacts(20_000) });
const rows = await service.make({ fields, file: contacts(20_000).replaceAll(/Germny|Absurdistan/g, 'DE') });
const pages = { values: values.review_url, rows: rows.review_url, link: await linkUrl(service) };
const port = await freePort();
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', `--remote-debugging-port=${port}`] });
let missed = 0;
for (const [page, url] of Object.entries(pages)) {
  for (const [device, config] of [['desktop', desktopConfig], ['phone', undefined]] as const) {
    let report = await measure(url, config);
    // On a busy machine, a run sometimes has no scores.
    if (Object.values(report.lhr.categories).some((one) => one.score === null)) report = await measure(url, config);
    printScores(`${page}, ${device}`, report.lhr);
  }
}
await browser.close();
await service.close();
process.exit(missed > 0 ? 1 : 0);

async function measure(url: string, config: object | undefined): Promise<Report> {
  const report = await lighthouse(url, { port, output: 'json', logLevel: 'error', onlyCategories: Object.keys(goals) }, config);
  if (!report) throw new Error('Lighthouse returned no report');
  return report;
}

function printScores(device: string, { categories, audits, runtimeError }: Report['lhr']): void {
  if (runtimeError) console.log(`${device}: ${runtimeError.message}`);
  for (const [name, goal] of Object.entries(goals)) {
    const { score, auditRefs } = categories[name]!;
    const figure = Math.round((score ?? 0) * 100);
    if (figure < goal) missed++;
    console.log(`${device.padEnd(16)} ${name.padEnd(15)} ${String(figure).padStart(3)} of ${goal}${figure < goal ? '  MISSED' : ''}`);
    for (const { id, weight } of auditRefs) {
      const audit = audits[id]!;
      const said = audit.errorMessage ?? (audit.score !== null && audit.score < 0.9 ? (audit.displayValue ?? String(audit.score)) : '');
      if (weight > 0 && said) console.log(`${' '.repeat(34)}${audit.title}: ${said}`);
    }
  }
}
