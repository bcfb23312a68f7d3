import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Finding {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Returns a description of each violation that axe finds in a frame of a page. */
export async function violationsIn(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe);
  await frame.evaluate('Promise.allSettled(document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity).map((one) => one.finished))');
  return described(JSON.parse(await frame.evaluate<string>(`axe.run(document, {runOnly: ${JSON.stringify(tags)}}).then((found) => JSON.stringify(found.violations))`)) as Finding[]);
}

function described(found: readonly Finding[]): string[] {
  return found.map((one) => `${one.id}: ${one.nodes.slice(0, 2).map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`);
}

/** Returns a description of each violation that axe finds on a page. */
export async function violations(page: Page): Promise<string[]> {
  // Inject through the debugger, because the page's policy blocks other scripts.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  // Wait for finite animations, because colors are not final during a fade. Spinners never
  // end.
  await session.send('Runtime.evaluate', {
    expression: `Promise.allSettled(document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity).map((one) => one.finished))`,
    awaitPromise: true,
  });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, {runOnly: ${JSON.stringify(tags)}}).then((found) => JSON.stringify(found.violations))`,
    awaitPromise: true,
  });
  await session.detach();
  return described(JSON.parse(result.value as string) as Finding[]);
}
