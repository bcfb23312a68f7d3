import assert from 'node:assert/strict';
import { cpus } from 'node:os';
import { after, before, test, type TestContext } from 'node:test';
import { Site, type DemoPage } from './site';

let site: Site;
before(async () => void (site = await Site.open()));
after(() => site.close());

/**
 * Scrolls with the wheel for a number of seconds. Returns the times between frames in
 * milliseconds, sorted.
 */
async function frames(demo: DemoPage, tick: number, seconds: number, across = false): Promise<number[]> {
  await demo.page.mouse.move(640, 400);
  const measured = demo.page.evaluate((length) => new Promise<number[]>((done) => {
    const deltas: number[] = [];
    let last = performance.now();
    const end = last + length;
    const frame = (now: number) => {
      deltas.push(now - last);
      last = now;
      if (now < end) requestAnimationFrame(frame);
      else done(deltas.slice(2));
    };
    requestAnimationFrame(frame);
  }), seconds * 1000);
  let turning = true;
  const turn = async () => {
    while (turning) {
      await demo.page.mouse.wheel(across ? tick : 0, across ? 0 : tick);
      await new Promise((done) => setTimeout(done, 16));
    }
  };
  const turned = turn();
  const deltas = await measured;
  turning = false;
  await turned;
  return deltas.sort((a, b) => a - b);
}

/** Performs a run and appends its main-thread time per frame, in milliseconds, to `spent`. */
async function costs(demo: DemoPage, spent: number[], run: () => Promise<number[]>): Promise<number[]> {
  const session = await demo.page.context().newCDPSession(demo.page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const total = async () => (await session.send('Performance.getMetrics')).metrics.find((one) => one.name === 'TaskDuration')!.value;
  const before = await total();
  const deltas = await run();
  spent.push((((await total()) - before) * 1000) / deltas.length);
  return deltas;
}

const p95 = (sorted: number[]) => sorted[Math.floor(sorted.length * 0.95)]!;

/**
 * Returns the median of the 95th percentiles of three runs. Skips the test if the median exceeds
 * the limit while the machine is busy, because the result then says nothing about the grid.
 */
async function typical(context: TestContext, limit: number, run: () => Promise<number[]>): Promise<number | null> {
  let taken = await otherCpuShare();
  const all: number[][] = [];
  for (let turn = 0; turn < 3; turn++) all.push(await run());
  const figures = all.map(p95).sort((a, b) => a - b);
  console.log(`  p95 of three runs ${figures.map((figure) => figure.toFixed(1)).join(', ')} ms; longest ${Math.max(...all.map((run) => run.at(-1)!)).toFixed(0)} ms`);
  taken = Math.max(taken, await otherCpuShare());
  if (figures[1]! > limit && taken > busyShare) {
    context.skip(`other processes use ${(taken * 100).toFixed(0)} % of this machine`);
    return null;
  }
  return figures[1]!;
}

/** Returns the share of CPU time that other processes use while this test is idle. */
async function otherCpuShare(): Promise<number> {
  const before = ticks();
  await new Promise((done) => setTimeout(done, 1000));
  const after = ticks();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function ticks(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.reduce((sum, time) => sum + time.user + time.nice + time.sys + time.idle + time.irq, 0);
  return { idle: times.reduce((sum, time) => sum + time.idle, 0), all };
}

const busyShare = 0.2;

const frame = 17;
// Three frames at 60 Hz can take slightly more than 50.0 ms.
const slowFrame = 50.5;

for (const [name, query, tick, across] of [
  ['12 columns, slowly', '', 120, false],
  ['12 columns, fast', '', 3000, false],
  ['200 columns, down', 'columns=200', 120, false],
  ['200 columns, across', 'columns=200', 120, true],
] as const) {
  test(`frames while scrolling ten million rows: ${name}`, async (context) => {
    const demo = await site.page(query);
    const spent: number[] = [];
    const figure = await typical(context, frame, () => costs(demo, spent, () => frames(demo, tick, 2, across)));
    // Use the least disturbed of three runs, so that this limit also applies on a busy
    // machine.
    const least = Math.min(...spent);
    console.log(`  ${least.toFixed(1)} ms of main-thread time per frame`);
    assert.ok(least <= frame, `${least} ms of main-thread time per frame`);
    assert.ok(figure === null || figure <= frame, `p95 ${figure} ms`);
    await demo.close();
  });
}

test('frames at a quarter of the CPU speed', async (context) => {
  const demo = await site.page();
  const session = await demo.page.context().newCDPSession(demo.page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const figure = await typical(context, slowFrame, () => frames(demo, 400, 2));
  assert.ok(figure === null || figure <= slowFrame, `p95 ${figure} ms`);
  await demo.close();
});

test('memory and elements stay limited after a minute of scrolling', async () => {
  const demo = await site.page();
  const session = await demo.page.context().newCDPSession(demo.page);
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  };
  const before = await heap();
  for (let jump = 0; jump < 40; jump++) {
    await demo.page.evaluate((row) => window.demo.grid!.goToRow(row), (jump * 2_345_678) % 10_000_000);
    await frames(demo, jump % 2 ? 3000 : -600, 0.5);
  }
  const after = await heap();
  const elements = await demo.page.evaluate(() => document.querySelectorAll('*').length);
  console.log(`  heap ${before.toFixed(1)} → ${after.toFixed(1)} MB, ${elements} elements`);
  assert.ok(after <= 25, `${after} MB`);
  assert.ok(elements <= 1500, `${elements} elements`);
  await demo.close();
});

test('time to the first rows', async (context) => {
  const before = await otherCpuShare();
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const demo = await site.page();
    times.push(await demo.page.evaluate(() => performance.getEntriesByName('rows')[0]!.startTime));
    await demo.close();
  }
  const median = times.sort((a, b) => a - b)[2]!;
  console.log(`  first rows after ${median.toFixed(0)} ms`);
  const taken = Math.max(before, await otherCpuShare());
  if (median > 300 && taken > busyShare) return context.skip(`other processes use ${(taken * 100).toFixed(0)} % of this machine`);
  assert.ok(median <= 300, `${median} ms`);
});
