import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { Outbox, newId, type Saving } from '../../grid/outbox';
import { SourceFault, type Batch, type RowSource, type Verdict } from '../../grid/row-source';

const fine: Verdict = { rows: [], cells: 1, conflicts: [] };

function batch(texts: string[][], versions: Record<string, number> = {}): Batch {
  return { id: newId(), action: 'edit', area: { fromRow: 10, toRow: 14, columns: ['a', 'b'] }, revision: '1', total: 100, texts, versions, seen: new Map() };
}

function made(answer: (sent: Batch, call: number) => Promise<Verdict>) {
  const sent: Batch[] = [];
  const states: Saving[] = [];
  const refused: string[] = [];
  const source = {
    apply: (one: Batch) => (sent.push(one), answer(one, sent.length)),
    undo: async () => fine,
  } as unknown as RowSource;
  const outbox = new Outbox(source, {
    done: () => {},
    refused: (fault) => refused.push(fault.message),
    saving: (state) => states.push(state),
  });
  return { outbox, sent, states, refused };
}

test('unsaved text is shown until the verdict, and repeats over the area', async () => {
  const { outbox } = made(async () => fine);
  outbox.apply(batch([['x', 'y'], ['z', 'w']]));
  assert.equal(outbox.pendingText(10, 'a', 'r10', '1'), 'x');
  assert.equal(outbox.pendingText(13, 'b', 'r13', '1'), 'w');
  assert.equal(outbox.pendingText(14, 'a', 'r14', '1'), undefined);
  assert.equal(outbox.pendingText(10, 'c', 'r10', '1'), undefined);
  outbox.apply(batch([['later']]));
  assert.equal(outbox.pendingText(11, 'b', 'r11', '1'), 'later');
  await soon();
  assert.equal(outbox.pendingText(10, 'a', 'r10', '1'), undefined);
});

test('a change without a response is sent again under the same ID', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { outbox, sent, states } = made(async (_, call) => {
    if (call < 3) throw new SourceFault('lost', 'no answer');
    return fine;
  });
  outbox.apply(batch([['x']]));
  for (const wait of [1000, 2000]) {
    await soon();
    assert.equal(outbox.pendingText(10, 'a', 'r10', '1'), 'x');
    mock.timers.tick(wait);
  }
  await soon();
  mock.timers.reset();
  assert.equal(new Set(sent.map((one) => one.id)).size, 1);
  assert.equal(sent.length, 3);
  assert.ok(states.includes('waiting') && states.at(-1) === 'saved');
});

test('a rejected change is reverted, and the next one is sent', async () => {
  const { outbox, sent, refused } = made(async (_, call) => {
    if (call === 1) throw new SourceFault('failed', 'The import is submitted already.');
    return fine;
  });
  outbox.apply(batch([['x']]));
  outbox.apply(batch([['y']]));
  await soon();
  assert.deepEqual(refused, ['The import is submitted already.']);
  assert.equal(sent.length, 2);
  assert.equal(outbox.pending, 0);
});

test('a change does not conflict with an earlier change of the same page', async () => {
  const answer = { ...fine, rows: [{ id: 'r10', number: 11, version: 4, cells: [] }] };
  const { outbox, sent } = made(async () => answer);
  outbox.apply(batch([['x']], { r10: 3 }));
  outbox.apply(batch([['y']], { r10: 3 }));
  await soon();
  assert.deepEqual(sent.map((one) => one.versions.r10), [3, 4]);
});

test('a change conflicts if an earlier one was in conflict with another user', async () => {
  const conflict = { rowId: 'r10', number: 11, column: 'a', mine: 'x', theirs: { text: 'z', problems: [] } };
  const { outbox, sent } = made(async () => ({ rows: [{ id: 'r10', number: 11, version: 9, cells: [] }], cells: 0, conflicts: [conflict] }));
  outbox.apply(batch([['x']], { r10: 3 }));
  outbox.apply(batch([['y']], { r10: 3 }));
  await soon();
  assert.deepEqual(sent.map((one) => one.versions.r10), [3, 3]);
});

test('host operations run in order and are retried with the same ID', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { outbox, sent } = made(async () => fine);
  const ids: string[] = [];
  outbox.apply(batch([['x']]));
  outbox.enqueue(async (id) => {
    assert.equal(sent.length, 1);
    ids.push(id);
    if (ids.length === 1) throw new SourceFault('lost', '');
    return fine;
  });
  await soon();
  mock.timers.tick(1000);
  await soon();
  mock.timers.reset();
  assert.equal(ids.length, 2);
  assert.equal(ids[0], ids[1]);
  assert.equal(outbox.pending, 0);
});

test('unsaved text is shown only for the changed rows', async () => {
  const { outbox } = made(() => new Promise(() => {}));
  const row = { id: 'r10', number: 11, version: 0, cells: [] };
  outbox.apply({ ...batch([['x']]), seen: new Map([[10, row]]) });
  assert.equal(outbox.pendingText(10, 'a', 'r10', 'another view'), 'x');
  assert.equal(outbox.pendingText(10, 'a', 'another', '1'), undefined);
  assert.equal(outbox.pendingText(11, 'a', 'r11', '1'), 'x');
  assert.equal(outbox.pendingText(11, 'a', 'r11', 'another view'), undefined);
});
