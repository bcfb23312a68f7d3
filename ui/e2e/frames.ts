import { cpus } from 'node:os';
import type { Page } from 'playwright-core';

/**
 * Scrolls with the wheel for a number of seconds. Returns the times between frames in
 * milliseconds, sorted.
 */
export async function frames(page: Page, tick: number, seconds: number): Promise<number[]> {
  await page.locator('.ig-body').hover();
  const measured = page.evaluate((length) => new Promise<number[]>((done) => {
    const times: number[] = [];
    let last = performance.now();
    const end = last + length;
    const frame = (now: number) => {
      times.push(now - last);
      last = now;
      if (now < end) requestAnimationFrame(frame);
      else done(times.slice(2));
    };
    requestAnimationFrame(frame);
  }), seconds * 1000);
  let turning = true;
  const turned = (async () => {
    while (turning) {
      await page.mouse.wheel(0, tick);
      await new Promise((done) => setTimeout(done, 16));
    }
  })();
  const times = await measured;
  turning = false;
  await turned;
  return times.sort((a, b) => a - b);
}

/** Returns the size of the JavaScript heap after a garbage collection, in MB. */
export async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** Slows the CPU of the page down by a factor. */
export async function throttleCpu(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

/** Returns the 95th percentile. */
export function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? NaN;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/** Returns the share of CPU time that other processes use while this one is idle. */
export async function otherCpuShare(): Promise<number> {
  const before = ticks();
  await new Promise((done) => setTimeout(done, 2000));
  const after = ticks();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function ticks(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  return { idle: times.reduce((sum, time) => sum + time.idle, 0), all: times.reduce((sum, time) => sum + time.user + time.nice + time.sys + time.idle + time.irq, 0) };
}
