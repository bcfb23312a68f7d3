import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { BlockCache, blockSize } from '../../grid/block-cache';
import { SourceFault, type Row, type RowSource, type RowWindow } from '../../grid/row-source';

interface Call { from: number; signal: AbortSignal; answer: (window: RowWindow) => void; refuse: (cause: Error) => void }

function window(from: number, text = 'x'): RowWindow {
  const rows = Array.from({ length: 200 }, (_, n): Row => ({ id: `r${from + n}`, number: from + n + 1, version: 1, cells: [{ text, problems: [] }] }));
  return { total: 1_000_000, revision: '7', rows };
}

function made() {
  const calls: Call[] = [];
  const faults: SourceFault[] = [];
  const source = {
    rows: (from: number, _to: number, signal: AbortSignal) =>
      new Promise<RowWindow>((answer, refuse) => calls.push({ from, signal, answer, refuse })),
  } as unknown as RowSource;
  const blocks = new BlockCache(source, { loaded: () => {}, failed: (fault) => faults.push(fault) });
  const answerAll = async () => {
    for (let call = calls.shift(); call; call = calls.shift()) {
      if (!call.signal.aborted) call.answer(window(call.from));
      await soon();
    }
  };
  return { blocks, calls, faults, answerAll };
}

test('visible blocks are requested first, then two blocks ahead', async () => {
  const { blocks, calls, answerAll } = made();
  blocks.setVisible(0, 40, 1);
  assert.deepEqual(calls.map((call) => call.from), [0]);
  await answerAll();
  blocks.setVisible(0, 40, 1);
  assert.deepEqual(calls.map((call) => call.from), [200, 400]);
  await answerAll();
  blocks.setVisible(1000, 1040, -1);
  assert.deepEqual(calls.map((call) => call.from), [1000, 800, 600]);
});

test('preloaded rows are shown at once, and nothing is requested until resume', async () => {
  const { blocks, calls, answerAll } = made();
  const { rows, ...view } = window(0);
  blocks.preload({ ...view, rows: rows.slice(0, 60) });
  blocks.setVisible(0, 40, 1);
  assert.deepEqual([blocks.row(59)?.id, blocks.row(60), blocks.total, blocks.revision], ['r59', undefined, 1_000_000, '7']);
  assert.equal(calls.length, 0);
  blocks.resume();
  assert.deepEqual(calls.map((call) => call.from), [0, 200, 400]);
  await answerAll();
  assert.equal(blocks.row(60)?.id, 'r60');
});

test('a short view is complete with its preloaded rows', () => {
  const { blocks, calls } = made();
  blocks.preload({ total: 2, revision: '7', rows: window(0).rows.slice(0, 2) });
  blocks.setVisible(0, 1, 1);
  blocks.resume();
  assert.equal(calls.length, 0);
});

test('a jump aborts requests that are no longer needed', async () => {
  const { blocks, calls, answerAll } = made();
  blocks.setVisible(0, 40, 1);
  await answerAll();
  blocks.setVisible(50_000, 50_040, 1);
  const stale = [...calls];
  blocks.setVisible(900_000, 900_040, 1);
  assert.ok(stale.every((call) => call.signal.aborted));
  stale[0]!.answer(window(50_000));
  await soon();
  assert.equal(blocks.row(50_000), undefined);
});

test('there are at most four requests and sixty blocks', async () => {
  const { blocks, calls, answerAll } = made();
  blocks.setVisible(0, 40, 1);
  await answerAll();
  blocks.setVisible(2000, 5000, 1);
  assert.equal(calls.length, 4);
  for (let at = 0; at < 900_000; at += 4000) {
    blocks.setVisible(at, at + 40, 1);
    await answerAll();
    assert.ok([...blocks.loaded(0, 1_000_000)].length <= 60 * blockSize);
  }
  assert.equal(blocks.row(0), undefined);
  assert.equal(blocks.row(896_000)?.number, 896_001);
});

test('a failed block is not requested again until retry', async () => {
  const { blocks, calls, faults } = made();
  blocks.setVisible(0, 40, 1);
  calls.shift()!.refuse(new SourceFault('lost', 'no answer'));
  await soon();
  assert.equal(faults[0]?.kind, 'lost');
  blocks.setVisible(0, 40, 1);
  assert.equal(calls.length, 0);
  blocks.retry();
  assert.equal(calls.length, 1);
});

test('a refresh shows the old rows until the new ones arrive', async () => {
  const { blocks, calls, answerAll } = made();
  blocks.setVisible(0, 40, 1);
  await answerAll();
  await answerAll();
  blocks.refresh();
  assert.equal(blocks.row(0)?.cells[0]?.text, 'x');
  calls.find((call) => call.from === 0)!.answer(window(0, 'new'));
  await soon();
  assert.equal(blocks.row(0)?.cells[0]?.text, 'new');
});

test('newer versions replace loaded rows', async () => {
  const { blocks, answerAll } = made();
  blocks.setVisible(0, 40, 1);
  await answerAll();
  blocks.replace([{ id: 'r7', number: 8, version: 2, cells: [{ text: 'fixed', problems: [] }] }]);
  assert.equal(blocks.row(7)?.version, 2);
  assert.deepEqual([...blocks.loaded(6, 9)].map(([index, row]) => `${index} ${row.id}`), ['6 r6', '7 r7', '8 r8']);
});
