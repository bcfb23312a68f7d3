import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SourceFault } from '../../grid/row-source';
import { batchOf, FakeService } from './cells-fake';

const signal = () => new AbortController().signal;

test('rows have no hidden columns and include the parsed values', async () => {
  const source = new FakeService(30).source();
  const { rows, total, revision } = await source.rows(0, 5, signal());
  assert.equal(total, 30);
  assert.equal(revision, 'view-1');
  assert.deepEqual(rows[0]!.cells, [{ text: 'name 0', problems: [] }, { text: 'Germany', problems: [], value: 'DE' }, { text: 'a', problems: [] }]);
  assert.equal(rows[2]!.cells[1]!.problems[0]!.code, 'country');
  assert.equal(rows[2]!.number, 3);
});

test('a change is sent cell by cell, with the version and text that the user saw', async () => {
  const service = new FakeService(30);
  const source = service.source();
  const verdict = await source.apply(await batchOf(source, { fromRow: 2, toRow: 3, columns: ['country'] }, [['DE']]));
  assert.deepEqual(service.changes[0]!.body.cells, [{ id: '2', key: 'country', text: 'DE', version: 0, seen: 'Germny' }]);
  assert.equal(verdict.cells, 1);
  assert.equal(verdict.rows[0]!.version, 1);
  assert.equal(verdict.rows[0]!.cells[1]!.changed, true);
});

test('rows of the area that are not loaded are requested first, 1,000 at a time', async () => {
  const service = new FakeService(1900);
  const source = service.source();
  const area = { fromRow: 0, toRow: 1900, columns: ['tag'] };
  await source.apply(await batchOf(source, area, [['x'], ['y']], { ...area, toRow: 100 }));
  const asked = service.called.filter((one) => one.call === 'rows').slice(1).map((one) => [one.query.get('from'), one.query.get('count')]);
  assert.deepEqual(asked, [['100', '1000'], ['1100', '800']]);
  assert.equal((service.changes[0]!.body.cells as unknown[]).length, 1900);
  assert.deepEqual([service.texts('0')[2], service.texts('1899')[2]], ['x', 'y']);
});

test('a row that is repeated over very many rows is sent as a range of the view', async () => {
  const service = new FakeService(3000);
  const source = service.source();
  const area = { fromRow: 10, toRow: 2900, columns: ['name', 'tag'] };
  await source.apply(await batchOf(source, area, [['x', 'y']], { ...area, toRow: 100 }));
  const { op: _, ...order } = service.changes[0]!.body;
  const where = { show: 'all', view: 'view-1', from: 10, to: 2900, total: 3000 };
  assert.deepEqual(order, { kind: 'fill', where, texts: { name: 'x', tag: 'y' } });
  await source.apply(await batchOf(source, area, [['']], { ...area, toRow: 100 }));
  assert.deepEqual({ ...service.changes[1]!.body, op: 0 }, { kind: 'clear', where, keys: ['name', 'tag'], op: 0 });
});

test('a range is rejected if rows have been deleted', async () => {
  const service = new FakeService(3000);
  const source = service.source();
  const batch = await batchOf(source, { fromRow: 0, toRow: 2500, columns: ['tag'] }, [['x']], { fromRow: 0, toRow: 9, columns: [] });
  service.rows.splice(5, 1);
  await assert.rejects(source.apply(batch), (fault: SourceFault) => fault.kind === 'failed' && fault.message === 'moved');
  assert.equal(service.change, 0);
});

test('other rejections of a range keep their message', async () => {
  const service = new FakeService(3000);
  const source = service.source();
  const batch = await batchOf(source, { fromRow: 0, toRow: 2500, columns: ['tag'] }, [['x']], { fromRow: 0, toRow: 9, columns: [] });
  service.interfere = ({ call }) => (call === 'edits' ? { status: 400, body: { detail: 'No column feeds the field.', code: 'not_possible' } } : null);
  await assert.rejects(source.apply(batch), { message: 'No column feeds the field.' });
});

test('a change of too many individual cells is rejected', async () => {
  const source = new FakeService(50_100).source();
  const area = { fromRow: 0, toRow: 50_100, columns: ['name', 'tag'] };
  await assert.rejects(source.apply(await batchOf(source, area, [['x', 'a'], ['y', 'b']], { ...area, toRow: 1 })), { message: '100200 of 100000' });
});

test('conflicting cells are dropped, and the rest is sent under a new operation ID', async () => {
  const service = new FakeService(30);
  const source = service.source();
  const batch = await batchOf(source, { fromRow: 0, toRow: 3, columns: ['name'] }, [['mine']]);
  service.put('1', 0, 'theirs', 7);
  const verdict = await source.apply(batch);
  assert.deepEqual(service.changes.map((one) => one.body.op), [batch.id, `${batch.id}.1`]);
  assert.deepEqual(verdict.conflicts.map(({ rowId, column, mine, theirs }) => [rowId, column, mine, theirs.text]), [['1', 'name', 'mine', 'theirs']]);
  assert.deepEqual(['0', '1', '2'].map((id) => service.texts(id)[0]), ['mine', 'theirs', 'mine']);
});

test('two users who enter the same text are not in conflict', async () => {
  const service = new FakeService(30);
  const source = service.source();
  const batch = await batchOf(source, { fromRow: 1, toRow: 2, columns: ['name'] }, [['same']]);
  service.put('1', 0, 'same', 7);
  assert.deepEqual((await source.apply(batch)).conflicts, []);
});

test('a change with a lost response continues and is not made twice', async () => {
  const service = new FakeService(30);
  const source = service.source();
  const batch = await batchOf(source, { fromRow: 0, toRow: 3, columns: ['name'] }, [['mine']]);
  service.put('1', 0, 'theirs', 7);
  service.interfere = ({ body }) => (body.op === `${batch.id}.1` ? 'lostAfter' : null);
  await assert.rejects(source.apply(batch), (fault: SourceFault) => fault.kind === 'lost');
  service.interfere = () => null;
  const verdict = await source.apply(batch);
  assert.equal(verdict.conflicts.length, 1);
  assert.deepEqual(service.changes.map((one) => one.body.op), [batch.id, `${batch.id}.1`, `${batch.id}.1`]);
  assert.equal(service.change, 1);
});

test('overwriting sends the text seen, so a third text is a conflict again', async () => {
  const service = new FakeService(30);
  const source = service.source();
  const conflict = { rowId: '1', number: 2, column: 'name', mine: 'mine', theirs: { text: 'theirs', problems: [] } };
  service.put('1', 0, 'theirs', 7);
  assert.deepEqual((await source.overwrite(conflict, 'a')).conflicts, []);
  assert.equal(service.texts('1')[0], 'mine');
  service.put('1', 0, 'a third', 9);
  assert.equal((await source.overwrite(conflict, 'b')).conflicts[0]!.theirs.text, 'a third');
});

test('a rejection has a message, and an expired session is reported to the page', async () => {
  const service = new FakeService(30);
  const faults: unknown[] = [];
  const source = service.source((fault) => faults.push(fault));
  const batch = await batchOf(source, { fromRow: 0, toRow: 1, columns: ['name'] }, [['x']]);
  service.interfere = () => ({ status: 400, body: { detail: 'The field can be read only.', code: 'not_possible' } });
  await assert.rejects(source.apply(batch), { kind: 'failed', message: 'The field can be read only.' });
  assert.equal(faults.length, 0);
  service.interfere = () => ({ status: 401, body: { detail: 'Open the link again.', code: 'unauthorized' } });
  await assert.rejects(source.rows(0, 5, signal()));
  assert.equal(faults.length, 1);
});

test('undo returns the changed cell, or nothing if there is nothing to undo', async () => {
  const service = new FakeService(30);
  const source = service.source();
  assert.deepEqual(await source.undo('u1'), { rows: [], cells: 0, conflicts: [] });
  await source.apply(await batchOf(source, { fromRow: 4, toRow: 6, columns: ['tag'] }, [['x']]));
  assert.deepEqual(await source.undo('u2'), { rows: [], cells: 2, conflicts: [], spot: { row: 4, column: 'tag' } });
});

test('undo reports whose change it reverted, and sends nothing if there is none', async () => {
  const service = new FakeService(30);
  const source = service.source();
  await source.apply(await batchOf(source, { fromRow: 4, toRow: 5, columns: ['tag'] }, [['x']]));
  service.change++; // made by somebody else
  await source.undo('u1');
  assert.equal(source.undoneBy, 'other');
  await source.undo('u2');
  assert.equal(source.undoneBy, 'own');
  Object.assign(source.undos, { undo: 0 });
  const before = service.changes.length;
  await source.undo('u3');
  assert.deepEqual([source.undoneBy, service.changes.length], ['none', before]);
});

test('a change after the review has ended is kept, and the page is notified', async () => {
  const service = new FakeService(30);
  const faults: unknown[] = [];
  const source = service.source((fault) => faults.push(fault));
  const batch = await batchOf(source, { fromRow: 4, toRow: 5, columns: ['tag'] }, [['x']]);
  service.interfere = () => ({ status: 409, body: { detail: 'The import is SUCCESSFUL.', code: 'not_in_review' } });
  await assert.rejects(source.apply(batch), { kind: 'lost' });
  assert.equal(faults.length, 1);
});

test('the next problem is searched in the same row first, skipping notes', async () => {
  const service = new FakeService(40);
  service.rows[2]!.cells[3]!.problems = [{ level: 'warning', code: 'w', message: '' }];
  service.rows[5]!.cells[0]!.problems = [{ level: 'info', code: 'i', message: '' }];
  const source = service.source();
  assert.deepEqual(await source.problem({ row: 0, column: 'name' }, 1, signal()), { row: 2, column: 'country' });
  assert.deepEqual(await source.problem({ row: 2, column: 'country' }, 1, signal()), { row: 2, column: 'tag' });
  assert.deepEqual(await source.problem({ row: 2, column: 'tag' }, 1, signal()), { row: 12, column: 'country' });
  assert.deepEqual(await source.problem({ row: 12, column: 'name' }, -1, signal()), { row: 2, column: 'tag' });
  assert.equal(await source.problem({ row: 32, column: 'country' }, 1, signal()), null);
  assert.deepEqual(await source.problem(null, 1, signal()), { row: 2, column: 'country' }, 'the first one');
  assert.deepEqual(await source.problem(null, -1, signal()), { row: 32, column: 'country' }, 'the last one');
  const asked = () => service.called.filter((one) => one.call === 'next').map((one) => one.query.get('near'));
  assert.deepEqual([...new Set(asked())], ['errors', 'warnings']);
  source.hasOther = false;
  assert.deepEqual(await source.problem({ row: 3, column: 'name' }, 1, signal()), { row: 5, column: 'name' }, 'notes count if there is nothing else');
});

test('a new filter applies when its rows arrive, and they are not requested again', async () => {
  const service = new FakeService(30);
  const source = service.source();
  service.view = 'view-2';
  await source.filterBy({ show: 'errors' }, signal());
  const asked = service.called.length;
  const { rows, total } = await source.rows(0, 200, signal());
  assert.equal(service.called.length, asked);
  assert.deepEqual([rows.length, total], [3, 3]);
  assert.equal(rows.every((row) => row.past === undefined), true);
});

test('a row that no longer matches the filter is marked', async () => {
  const service = new FakeService(30);
  const source = service.source();
  await source.filterBy({ show: 'errors', key: 'country', code: 'country' }, signal());
  service.rows = service.rows.filter((row) => row.cells[1]!.problems);
  const verdict = await source.apply(await batchOf(source, { fromRow: 0, toRow: 1, columns: ['country'] }, [['DE']]));
  assert.equal(verdict.rows[0]!.past, true);
});

test('an aborted response is ignored', async () => {
  const source = new FakeService(30).source();
  const asked = new AbortController();
  const rows = source.rows(0, 5, asked.signal);
  asked.abort();
  await assert.rejects(rows, { name: 'AbortError' });
  assert.equal(source.view, '');
});
