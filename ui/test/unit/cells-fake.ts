import { createApi, type Table } from '../../src/api';
import { placesOf } from '../../src/cells/columns';
import { createTableApi, type TableApi } from '../../src/cells/table-api';
import { ReviewRowSource } from '../../src/cells/row-source';
import type { Batch } from '../../grid';

Object.assign(globalThis, { location: { origin: 'http://service' } });

export interface FakeRow {
  id: string;
  version: number;
  cells: { text: string; value: string | null; problems?: { level: string; code: string; message: string }[]; cut?: boolean }[];
  problems?: { level: string; code: string; message: string }[];
}

export interface Called {
  readonly method: string;
  readonly call: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

const bad = { level: 'error', code: 'country', message: 'Unknown country.' };

/** A fake server with rows of three visible columns. It implements only what the source needs. */
export class FakeService {
  view = 'view-1';
  rows: FakeRow[];
  readonly called: Called[] = [];
  readonly made = new Map<string, unknown>();
  change = 0;
  /** Replaces the response of a call with a status, or drops it. */
  interfere: (called: Called) => { status: number; body: unknown } | 'lost' | 'lostAfter' | null = () => null;

  constructor(count: number) {
    this.rows = Array.from({ length: count }, (_, n) => ({
      id: String(n), version: 0,
      cells: [text(`name ${n}`), n % 10 === 2 ? { ...text('Germny'), value: null, problems: [bad] } : { text: 'Germany', value: 'DE' }, text('hidden'), text('a')],
    }));
  }

  /** Returns the text of each cell in a row, without the hidden column. */
  texts(id: string): string[] {
    return this.rows.find((row) => row.id === id)!.cells.filter((_, at) => at !== 2).map((cell) => cell.text);
  }

  tableApi(): TableApi {
    return createTableApi(createApi('import', (async (request: Request) => this.#answer(request)) as typeof fetch));
  }

  source(broken: (fault: unknown) => void = () => {}): ReviewRowSource {
    const texts = { moved: () => 'moved', tooMany: (n: number, most: number) => `${n} of ${most}`, unanswered: () => 'unanswered' };
    return new ReviewRowSource(this.tableApi(), placesOf(columns, 'en'), texts, broken);
  }

  /** The calls that change data. */
  get changes(): Called[] {
    return this.called.filter((one) => one.method === 'POST');
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const body = request.method === 'POST' ? await request.json() : {};
    const called = { method: request.method, call: url.pathname.split('/').at(-2)!, query: url.searchParams, body };
    this.called.push(called);
    const other = this.interfere(called);
    if (other === 'lost') throw new TypeError('failed to fetch');
    if (other && other !== 'lostAfter') return Response.json(other.body, { status: other.status });
    const answer = this.#serve(called);
    if (other === 'lostAfter') throw new TypeError('failed to fetch');
    return answer;
  }

  #serve({ call, query, body }: Called): Response {
    if (call === 'rows') return Response.json(this.#window(query));
    if (call === 'next') return Response.json({ next: this.#next(Number(query.get('row') ?? -1), query.get('back') === 'true', query.get('near')!) });
    const op = String(body.op);
    if (this.made.has(op)) return Response.json(this.made.get(op));
    if (call === 'undo' && this.change === 0) return Response.json({ detail: 'There is no change to undo or redo.', code: 'nothing_to_undo' }, { status: 409 });
    if (call === 'undo') return this.#respond(op, { ...nothing, change: this.change-- });
    const { total } = (body.where ?? {}) as { total?: number };
    if (total !== undefined && total !== this.rows.length) return Response.json({ detail: 'Someone deleted rows.', code: 'not_possible' }, { status: 400 });
    return this.#edit(op, body);
  }

  #window(query: URLSearchParams) {
    const from = Number(query.get('from') ?? 0);
    const rows = query.get('show') === 'errors' && !query.get('view') ? this.rows.filter((row) => row.cells.some((cell) => cell.problems)) : this.rows;
    return { view: query.get('view') || this.view, total: rows.length, first: from, rows: structuredClone(rows.slice(from, from + Number(query.get('count') ?? 200))) };
  }

  #next(row: number, back: boolean, near: string) {
    const fits = ({ level }: { level: string }) => near === 'problems' || near === `${level}s`;
    const places = this.rows.map((one, place) => ({ id: one.id, place, bad: [one, ...one.cells].some(({ problems }) => problems?.some(fits)) })).filter((one) => one.bad);
    const found = back ? places.findLast((one) => Number(one.id) < row) : places.find((one) => Number(one.id) > row);
    return found ? { id: found.id, place: found.place } : null;
  }

  #edit(op: string, body: Record<string, unknown>): Response {
    const cells = (body.cells ?? []) as { id: string; key: string; part?: number; text: string; version: number; seen: string }[];
    const lost = cells.filter((cell) => {
      const row = this.rows.find((one) => one.id === cell.id)!;
      return row.version !== cell.version && row.cells[at(cell)]!.text !== cell.seen;
    });
    if (lost.length > 0) {
      const conflicts = lost.map((cell) => {
        const row = this.rows.find((one) => one.id === cell.id)!;
        return { id: cell.id, key: cell.key, part: cell.part ?? 0, version: row.version, deleted: false, seen: cell.seen, now: row.cells[at(cell)]!.text };
      });
      return Response.json({ detail: 'Someone else changed the cell first.', code: 'changed_by_others', cells: conflicts }, { status: 409 });
    }
    this.change++;
    for (const cell of cells) this.put(cell.id, at(cell), cell.text, this.change);
    return this.#respond(op, { ...nothing, change: this.change, cells: cells.length, rows: new Set(cells.map((cell) => cell.id)).size });
  }

  put(id: string, place: number, put: string, version: number): void {
    const row = this.rows.find((one) => one.id === id)!;
    row.version = version;
    row.cells[place] = text(put);
  }

  #respond(op: string, verdict: object): Response {
    this.made.set(op, verdict);
    return Response.json(verdict);
  }
}

const nothing = { change: 0, cells: 0, rows: 0, added: 0, deleted: 0, valid: 0, invalid: 0, samples: [] };
const keys = ['name', 'country', 'secret', 'tag'];

function at({ key }: { key: string }): number {
  return keys.indexOf(key);
}

function text(of: string) {
  return { text: of, value: of };
}

export const columns = [
  { key: 'name', label: 'Name', type: 'string', readOnly: false, hidden: false, required: true },
  { key: 'country', label: 'Country', type: 'country', readOnly: false, hidden: false, required: false, options: [{ value: 'DE', label: 'Germany' }, { value: 'FR', label: 'France' }] },
  { key: 'secret', label: 'Secret', type: 'string', readOnly: false, hidden: true, required: false },
  { key: 'tag', label: 'Tag', type: 'string', readOnly: false, hidden: false, required: false },
] as Table['columns'];

/** Returns a batch as the grid creates it, with the loaded rows of the area. */
export async function batchOf(source: ReviewRowSource, area: Batch['area'], texts: string[][], held = area): Promise<Batch> {
  const { rows, revision, total } = await source.rows(held.fromRow, held.toRow, new AbortController().signal);
  const seen = new Map(rows.map((row, at) => [held.fromRow + at, row]));
  return { id: `op-${Math.random()}`, action: 'edit', area, texts, revision, total, seen, versions: Object.fromEntries(rows.map((row) => [row.id, row.version])) };
}
