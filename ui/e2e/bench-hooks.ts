import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fields, writeContacts } from './contacts';
import { Environment } from './environment';
import { frontendKey, inline, openProduct } from './product';

/**
 * Measures an import with a trivial row hook in the page that embeds the importer, next to the same hook
 * on the server: node e2e/run.mjs bench-hooks [rows]. The longest task in the frame of the importer has a
 * limit of 200 ms.
 */
const size = Number(process.argv[2]) || 1e6;
const maxTask = 200;
const settings = { importIdentifier: 'bench', developmentMode: true, backendSyncMode: 'FULL_DATA' };
const trivial = '(record) => ({ row: { name: { value: record.row.name.value } } })';

const folder = mkdtempSync(join(tmpdir(), 'intray-bench-hooks-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'contacts.csv');
await writeContacts(path, size, { email: 97, country: 101 });
const environment = await Environment.open();
const { service } = environment;

console.log(`${size.toLocaleString('en')} rows`);
const plain = await onServer({});
const server = await onServer({ rowHooks: [trivial] });
const page = await inPage();
report('without a hook', plain);
report('with the hook on the server', server);
report('with the hook in the page', page);
console.log(`the hook takes ${((page.seconds - plain.seconds) / (server.seconds - plain.seconds)).toFixed(1)} × as long in the page as on the server`);
console.log(`longest task in the frame of the importer: ${page.longest.toFixed(0)} ms${page.longest > maxTask ? `, more than ${maxTask} ms` : ''}`);
await environment.close();
process.exit(page.longest > maxTask ? 1 : 0);

interface Figures {
  readonly seconds: number;
  /** Memory of the server, and of the scripts of the importer and of the page, in MB. */
  readonly server: number;
  readonly importer?: number;
  readonly host?: number;
}

function report(what: string, { seconds, server: of, importer, host }: Figures): void {
  const scripts = importer === undefined ? '' : `, scripts of the importer ${importer.toFixed(0)} MB, of the page ${host!.toFixed(0)} MB`;
  console.log(`${what.padEnd(28)} ${seconds.toFixed(1).padStart(6)} s, server ${of.toFixed(0)} MB${scripts}`);
}

async function onServer(hooks: Readonly<Record<string, unknown>>): Promise<Figures> {
  const begun = performance.now();
  const made = await service.make({ fields, file: { path }, settings, hooks });
  if (made.status !== 'NEEDS_REVIEW') throw new Error(`the import is ${made.status}`);
  return { seconds: (performance.now() - begun) / 1000, server: service.memory() };
}

async function inPage(): Promise<Figures & { readonly longest: number }> {
  const setUp = inline.replace('return uploader', `uploader.registerRowHook(${trivial}); return uploader`);
  const { page: product, widget } = await openProduct(environment, setUp, { key: frontendKey, fields, settings }, {}, watchTasks);
  product.setDefaultTimeout(30 * 60_000);
  await product.locator('#open').click();
  await widget.locator('.drop').waitFor();
  const begun = performance.now();
  await widget.locator('input[type=file]').setInputFiles(path);
  await widget.locator('.fix-head, main.values').waitFor(); // some countries match no option
  const seconds = (performance.now() - begun) / 1000;
  const frame = product.frames().find((one) => one.url().startsWith(service.address))!;
  const heap = () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 1e6;
  const longest = await frame.evaluate(() => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks));
  return { seconds, server: service.memory(), importer: await frame.evaluate(heap), host: await product.evaluate(heap), longest };
}

/** Records how long tasks take, in milliseconds, in each frame. */
function watchTasks(): void {
  const tasks: number[] = [];
  Object.assign(globalThis, { tasks });
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: 'longtask', buffered: true });
}
