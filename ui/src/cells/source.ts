import { Fault, isAborted, type RowWindow as WireWindow, type Verdict as WireVerdict } from '../api';
import { SourceFault, type Batch, type Cell, type Conflict, type Row, type RowSource, type RowWindow, type Spot, type Verdict } from '../../grid';
import { Attempt } from './attempt';
import { columnKey, type Place } from './columns';
import type { Desk, Near, Order, Sending } from './desk';
import { everything, type Filter } from './filter';
import { Originals } from './originals';
import { withNames } from './own-names';
import { cellsOf, mostCells, planOf } from './plan';
import { Rows, type Worded } from './rows';
import { Shelf } from './shelf';
import { Spots } from './spots';

/** What the source says by itself, in the person's language. */
export interface SourceTexts {
  /** Others deleted rows, and places of the view are not what they were. */
  moved(): string;
  tooMany(cells: number, most: number): string;
  unanswered(): string;
  /** Words what a problem says in the language of the page. */
  worded?: Worded;
}

const readAtOnce = 1000;
/** As many as the grid asks for. */
const window = 200;

/**
 * The rows of the service as the grid asks for them: of one view at a time, which
 * keeps rows that no longer fit its filter until it is renewed.
 */
export class DeskSource implements RowSource {
  filter: Filter = everything;
  total = 0;
  /** Whether there are other problems than notes. */
  hasOther = true;
  /** The number of the last change that was made from here. */
  lastChange = 0;
  /** At most so many changes can be undone and made again. */
  readonly turns = { undo: Infinity, redo: Infinity };
  /** Whose change was undone or made again last: one of this page, of somebody else, or none. */
  turned: 'own' | 'other' | 'none' = 'none';
  readonly #own = new Set<number>();
  #view = '';
  readonly #desk: Desk;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #order: ReadonlyMap<string, number>;
  readonly #rows: Rows;
  readonly #texts: SourceTexts;
  readonly #broken: (fault: Fault) => void;
  readonly #originals = new Originals();
  readonly #shelf = new Shelf();
  readonly #attempts = new Map<string, Attempt>();
  readonly #spots: Spots;

  constructor(desk: Desk, places: readonly Place[], texts: SourceTexts, broken: (fault: Fault) => void) {
    this.#desk = desk;
    this.#places = new Map(places.map((place) => [place.column.key, place]));
    this.#order = new Map(places.map((place, at) => [place.column.key, at]));
    this.#rows = new Rows(places, this.#originals, texts.worded);
    this.#spots = new Spots(places);
    this.#texts = texts;
    this.#broken = broken;
  }

  /** Names the view for changes of stretches of it. */
  get view(): string {
    return this.#view;
  }

  /**
   * Makes the view of another filter, or the same anew, the one that is shown. Its
   * first rows are here then; until then the old one goes on.
   */
  async show(filter: Filter, signal: AbortSignal): Promise<void> {
    const named = withNames(filter, this.#places.values());
    const came = await this.#desk.rows(named, '', 0, window, signal);
    signal.throwIfAborted();
    this.open(named, came);
  }

  /** The same for a view whose first rows are here. */
  open(filter: Filter, came: WireWindow): void {
    this.filter = filter;
    this.#shelf.clear();
    this.#shelf.lay(this.#take(came));
  }

  /** The rows that the view was opened with, once. */
  takeFirst(): RowWindow | undefined {
    const rows = this.#shelf.take();
    return rows && { total: this.total, revision: this.#view, rows };
  }

  /** How many rows fit the filter by now. */
  async fitting(): Promise<number> {
    return (await this.#desk.rows(this.filter, '', 0, 0)).total;
  }

  /** Makes a change of any kind; it is told what came of it. */
  async make(order: Order, told: (verdict: WireVerdict) => void): Promise<Verdict> {
    const verdict = await this.#asked(this.#desk.edit(order));
    this.#note(verdict, null);
    told(verdict);
    return { rows: [], cells: verdict.cells, conflicts: [] };
  }

  /** Merges rows of a file by their numbers. */
  async merge(file: File, how: Sending, told: (verdict: WireVerdict) => void): Promise<Verdict> {
    const { verdict } = await this.#asked(this.#desk.sendFile(file, how));
    this.#note(verdict, null);
    told(verdict);
    return { rows: [], cells: verdict.cells, conflicts: [] };
  }

  /** One row by itself, which has more of its long texts. */
  async whole(index: number): Promise<Row | undefined> {
    const { rows: [row] } = await this.#asked(this.#desk.rows(this.filter, this.#view, index, 1));
    return row && this.#rows.row(row, this.filter);
  }

  /** The row at a place of the view, where it is here. */
  row(index: number): Row | undefined {
    return this.#shelf.row(index);
  }

  /** The id of the row at a place of the view, as a number; null where there is none. */
  async idAt(index: number): Promise<number | null> {
    const known = this.#shelf.row(index);
    if (known) return Number(known.id);
    const { rows: [row] } = await this.#asked(this.#desk.rows(this.filter, this.#view, index, 1));
    return row ? Number(row.id) : null;
  }

  /** Puts a text where somebody else was first. */
  async insist({ rowId, column, mine, theirs }: Conflict, op: string): Promise<Verdict> {
    const { key, part } = this.#places.get(column)!;
    const attempt = new Attempt(op, [{ id: rowId, key, ...(part > 0 && { part }), text: mine, version: 0, seen: theirs.text }]);
    const verdict = await this.#asked(attempt.send(this.#desk));
    this.#note(verdict, null);
    const conflicts = attempt.clashes.map((clash): Conflict => ({
      rowId, number: Number(rowId) + 1, column, mine, theirs: { text: clash.now, problems: [] }, ...(clash.deleted && { gone: true }),
    }));
    return { rows: [], cells: verdict.cells, conflicts };
  }

  async rows(from: number, to: number, signal: AbortSignal): Promise<RowWindow> {
    const laid = this.#shelf.fetch(from, to, this.total);
    if (laid) return { total: this.total, revision: this.#view, rows: laid };
    const came = await this.#asked(this.#desk.rows(this.filter, this.#view, from, to - from, signal));
    signal.throwIfAborted();
    return { total: came.total, revision: came.view, rows: this.#take(came) };
  }

  async apply(batch: Batch): Promise<Verdict> {
    const plan = planOf(batch, this.#places);
    if (plan.kind === 'tooMany') throw new SourceFault('failed', this.#texts.tooMany(plan.cells, mostCells));
    return plan.kind === 'named' ? this.#byName(batch) : this.#byStretch(batch, plan.order);
  }

  undo(id: string): Promise<Verdict> {
    return this.#turn('undo', id);
  }

  redo(id: string): Promise<Verdict> {
    return this.#turn('redo', id);
  }

  async problem(from: Spot, step: 1 | -1, signal: AbortSignal): Promise<Spot | null> {
    const here = this.#shelf.row(from.row) ?? (await this.rows(from.row, from.row + 1, signal)).rows[0];
    if (!here) return null;
    const nears = this.#nears();
    this.#spots.notes = nears[0] === 'problems';
    const beside = this.#spots.beside(here, from.column, step);
    if (beside) return { row: from.row, column: beside };
    const back = step < 0;
    const found = await this.#asked(Promise.all(nears.map((near) => this.#desk.next(this.filter, this.#view, { row: here.id, back, near }, signal))));
    const places = found.flatMap((spot) => (spot ? [spot.place] : []));
    if (places.length === 0) return null;
    const place = back ? Math.max(...places) : Math.min(...places);
    const known = this.#shelf.row(place);
    const edge = known && this.#spots.edge(known, step);
    if (edge) return { row: place, column: edge };
    const { rows: [row] } = await this.rows(place, place + 1, signal);
    return row ? { row: place, column: this.#spots.edge(row, step) ?? from.column } : null;
  }

  /** The levels of problems that lead from one to the next: notes only where they are what is shown, or all there is. */
  #nears(): readonly Near[] {
    return this.filter.show === 'infos' || !this.hasOther ? ['problems'] : ['errors', 'warnings'];
  }

  /** What is known of other rows is old. */
  forget(): void {
    this.#shelf.clear();
  }

  #take(came: WireWindow): readonly Row[] {
    if (came.view !== this.#view) this.#shelf.clear();
    this.#view = came.view;
    this.total = came.total;
    const rows = came.rows.map((row) => this.#rows.row(row, this.filter));
    this.#shelf.put(came.first, rows);
    return rows;
  }

  async #byName(batch: Batch): Promise<Verdict> {
    const attempt = this.#attempts.get(batch.id) ?? (await this.#begin(batch));
    this.#attempts.set(batch.id, attempt);
    const verdict = await this.#asked(attempt.send(this.#desk), batch.id);
    const rows = await this.#asked(this.#after(batch, verdict, attempt));
    this.#attempts.delete(batch.id);
    this.#note(verdict, { row: batch.area.fromRow, column: batch.area.columns[0]! });
    return { rows, cells: verdict.cells, conflicts: attempt.clashes.map((clash) => this.#conflict(clash, batch, rows)), stale: true };
  }

  async #begin(batch: Batch): Promise<Attempt> {
    const rows = await this.#asked(this.#named(batch));
    const cells = cellsOf(batch, rows, this.#places, this.#order);
    for (const cell of cells) this.#originals.keep(cell.id, columnKey(cell.key, cell.part ?? 0), cell.seen);
    return new Attempt(batch.id, cells);
  }

  /** The rows of the area: as the person saw them, and those that were never here. */
  async #named({ area, revision, seen }: Batch): Promise<Row[]> {
    const rows: Row[] = [];
    for (let index = area.fromRow; index < area.toRow; index++) {
      const known = seen.get(index);
      if (known) {
        rows.push(known);
        continue;
      }
      const came = await this.#desk.rows(this.filter, revision, index, Math.min(readAtOnce, area.toRow - index));
      if (came.view !== revision || came.rows.length === 0) throw new SourceFault('failed', this.#texts.moved());
      for (const [at, wire] of came.rows.entries()) {
        const before = seen.get(index + at);
        if (before && before.id !== wire.id) throw new SourceFault('failed', this.#texts.moved());
        rows.push(before ?? this.#rows.row(wire, this.filter));
      }
      index += came.rows.length - 1;
    }
    return rows;
  }

  /** The changed rows as they are now, or as they must be where they are many. */
  async #after(batch: Batch, verdict: WireVerdict, attempt: Attempt): Promise<readonly Row[]> {
    const { fromRow, toRow } = batch.area;
    if (toRow - fromRow > readAtOnce) return this.#guessed(batch, verdict.change, attempt);
    const came = await this.#desk.rows(this.filter, batch.revision, fromRow, toRow - fromRow);
    return came.rows.map((row) => this.#rows.row(row, this.filter));
  }

  #guessed(batch: Batch, change: number, attempt: Attempt | null): Row[] {
    const { area, texts } = batch;
    const lost = new Map(attempt?.clashes.map((clash) => [`${clash.id} ${columnKey(clash.key, clash.part)}`, clash.now]));
    return [...batch.seen].map(([index, row]) => {
      const line = texts[(index - area.fromRow) % texts.length]!;
      const put = area.columns.map((column, at) => [column, lost.get(`${row.id} ${column}`) ?? line[at % line.length]!] as const);
      return this.#rows.patched(row, new Map(put), change);
    });
  }

  async #byStretch(batch: Batch, order: Omit<Order, 'op'>): Promise<Verdict> {
    const { fromRow, columns } = batch.area;
    for (const row of batch.seen.values()) {
      for (const column of columns) this.#originals.keep(row.id, column, row.cells[this.#order.get(column)!]!.text);
    }
    const verdict = await this.#asked(this.#desk.edit({ ...order, op: batch.id })).catch((cause) => this.#unmoved(batch, cause));
    this.#note(verdict, { row: fromRow, column: columns[0]! });
    return { rows: this.#guessed(batch, verdict.change, null), cells: verdict.cells, conflicts: [], stale: true };
  }

  /** Why a stretch was refused: most of the time it is made of other rows by now. */
  async #unmoved(batch: Batch, cause: unknown): Promise<never> {
    if (!(cause instanceof Refused)) throw cause;
    const now = await this.#asked(this.#desk.rows(this.filter, batch.revision, 0, 0));
    throw now.view === batch.revision && now.total === batch.total ? cause : new SourceFault('failed', this.#texts.moved());
  }

  async #turn(which: 'undo' | 'redo', id: string): Promise<Verdict> {
    this.turned = 'none';
    if (this.turns[which] === 0) return unturned;
    try {
      const verdict = await this.#asked(this.#desk.turn(which, id));
      this.#shelf.clear();
      this.turns[which === 'undo' ? 'redo' : 'undo']++;
      this.turned = this.#own.has(verdict.change) ? 'own' : 'other';
      const spot = this.#spots.of(verdict.change, this.#view);
      return { rows: [], cells: this.#spots.cells(verdict.change), conflicts: [], ...(spot && { spot }) };
    } catch (cause) {
      if (cause instanceof Refused && cause.code === 'nothing_to_undo') return unturned;
      throw cause;
    }
  }

  /** Remembers what a change was about, so that undoing it can lead there. */
  #note(verdict: WireVerdict, spot: Spot | null): void {
    this.#shelf.clear();
    if (verdict.change === 0) return;
    this.lastChange = verdict.change;
    this.#own.add(verdict.change);
    this.turns.undo++;
    this.#spots.note(verdict.change, this.#view, spot, verdict.cells);
  }

  #conflict(clash: Attempt['clashes'][number], batch: Batch, rows: readonly Row[]): Conflict {
    const column = columnKey(clash.key, clash.part);
    const at = [...batch.seen].find(([, row]) => row.id === clash.id)?.[0] ?? batch.area.fromRow;
    const line = batch.texts[(at - batch.area.fromRow) % batch.texts.length]!;
    const mine = line[batch.area.columns.indexOf(column) % line.length]!;
    const theirs: Cell = rows.find((row) => row.id === clash.id)?.cells[this.#order.get(column)!] ?? { text: clash.now, problems: [] };
    return { rowId: clash.id, number: Number(clash.id) + 1, column, mine, theirs, ...(clash.deleted && { gone: true }) };
  }

  /** Waits for a call of the service; its faults become those of the grid. */
  async #asked<T>(call: Promise<T>, attempt?: string): Promise<T> {
    try {
      return await call;
    } catch (cause) {
      if (isAborted(cause) || cause instanceof SourceFault) throw cause;
      if (!(cause instanceof Fault)) throw new SourceFault('failed', cause instanceof Error ? cause.message : String(cause));
      if (cause.kind === 'lost') throw new SourceFault('lost', this.#texts.unanswered());
      // The page shows how it ended; until then nothing is taken off as if it had been refused.
      if (cause.code === 'not_in_review') {
        this.#broken(cause);
        throw new SourceFault('lost', this.#texts.unanswered());
      }
      if (attempt) this.#attempts.delete(attempt);
      if (cause.kind !== 'refused') this.#broken(cause);
      throw new Refused(cause);
    }
  }
}

const unturned: Verdict = { rows: [], cells: 0, conflicts: [] };

/** What the service refused, with the code of its reason. */
class Refused extends SourceFault {
  readonly code: string;
  constructor(fault: Fault) {
    super('failed', fault.message);
    this.code = fault.code;
  }
}
