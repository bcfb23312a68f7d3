import { Fault, isAborted, type RowWindow as WireWindow, type Verdict as WireVerdict } from '../api';
import { SourceFault, type Batch, type Cell, type Conflict, type Row, type RowSource, type RowWindow, type Spot, type Verdict } from '../../grid';
import { EditAttempt } from './edit-attempt';
import { columnKey, type Place } from './columns';
import type { TableApi, ProblemLevel, EditRequest, UploadOptions } from './table-api';
import { allRows, type Filter } from './filter';
import { OriginalTexts } from './original-texts';
import { withLocalizedSearch } from './localized-choices';
import { cellEdits, maxCells, planEdit } from './edit-plan';
import { RowConverter, type MessageText } from './row-converter';
import { RowCache } from './row-cache';
import { Locations } from './locations';

/** Messages of the source, in the language of the page. */
export interface SourceTexts {
  /** Other users added or deleted rows, so the indexes of the view refer to other rows now. */
  moved(): string;
  tooMany(cells: number, most: number): string;
  unanswered(): string;
  /** Renders a message from the server in the language of the page. */
  messageText?: MessageText;
}

const readAtOnce = 1000;
/** A row ID after all others. */
const afterLast = String(2 ** 40);
/** Block size of the grid. */
const window = 200;

/**
 * Supplies the rows of one view at a time from the server to the grid. A view keeps rows
 * that no longer match its filter until it is refreshed.
 */
export class ReviewRowSource implements RowSource {
  filter: Filter = allRows;
  total = 0;
  /** The first rows of the view, as the server returned them. */
  opened: WireWindow['rows'] = [];
  /** Whether there are problems other than notes. */
  hasOther = true;
  /** Number of the last change made on this page. */
  lastChange = 0;
  /** Maximum number of changes that can be undone and redone. */
  readonly undos = { undo: Infinity, redo: Infinity };
  /** Who made the change that was last undone or redone: this page or somebody else; "none" if no change was undone or redone. */
  undoneBy: 'own' | 'other' | 'none' = 'none';
  readonly #own = new Set<number>();
  #view = '';
  readonly #tableApi: TableApi;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #order: ReadonlyMap<string, number>;
  readonly #rows: RowConverter;
  readonly #texts: SourceTexts;
  readonly #onFault: (fault: Fault) => void;
  readonly #originals = new OriginalTexts();
  readonly #cache = new RowCache();
  readonly #attempts = new Map<string, EditAttempt>();
  readonly #locations: Locations;

  constructor(tableApi: TableApi, places: readonly Place[], texts: SourceTexts, onFault: (fault: Fault) => void) {
    this.#tableApi = tableApi;
    this.#places = new Map(places.map((place) => [place.column.key, place]));
    this.#order = new Map(places.map((place, at) => [place.column.key, at]));
    this.#rows = new RowConverter(places, this.#originals, texts.messageText);
    this.#locations = new Locations(places);
    this.#texts = texts;
    this.#onFault = onFault;
  }

  /** The name of the view. Edits send it to change rows of this view. */
  get view(): string {
    return this.#view;
  }

  /**
   * Opens a view with the given filter, even if the filter is unchanged. Resolves when the
   * first rows have arrived. Until then, the old view stays.
   */
  async filterBy(filter: Filter, signal: AbortSignal): Promise<void> {
    const named = withLocalizedSearch(filter, this.#places.values());
    const came = await this.#tableApi.rows(named, '', 0, window, signal);
    signal.throwIfAborted();
    this.setView(named, came);
  }

  /** Sets a view whose first rows have already arrived. */
  setView(filter: Filter, came: WireWindow): void {
    this.filter = filter;
    this.opened = came.rows;
    this.#cache.clear();
    this.#cache.setFirst(this.#store(came));
  }

  /** On the first call, returns the rows with which the view was opened. On later calls, returns undefined. */
  takeFirst(): RowWindow | undefined {
    const rows = this.#cache.takeFirst();
    return rows && { total: this.total, revision: this.#view, rows };
  }

  /** Returns how many rows match the filter now. */
  async countMatching(): Promise<number> {
    const { sort: _, desc: __, ...filter } = this.filter; // counting needs no order
    return (await this.#tableApi.rows(filter, '', 0, 0)).total;
  }

  /** Makes a change of any kind. onDone receives its verdict. */
  async applyEdit(edit: EditRequest, onDone: (verdict: WireVerdict) => void): Promise<Verdict> {
    return this.#finish(await this.#call(this.#tableApi.edit(edit)), onDone);
  }

  /** Merges the rows of a file by their row numbers. */
  async mergeFile(file: File, options: UploadOptions, onDone: (verdict: WireVerdict) => void): Promise<Verdict> {
    return this.#finish((await this.#call(this.#tableApi.uploadFile(file, options))).verdict, onDone);
  }

  #finish(verdict: WireVerdict, onDone: (verdict: WireVerdict) => void): Verdict {
    this.#remember(verdict, null);
    onDone(verdict);
    return { rows: [], cells: verdict.cells, conflicts: [] };
  }

  /** Loads a single row. The response contains more of each long text than a response with several rows does. */
  async fullRow(index: number): Promise<Row | undefined> {
    const { rows: [row] } = await this.#call(this.#tableApi.rows(this.filter, this.#view, index, 1));
    return row && this.#rows.convert(row, this.filter);
  }

  /** Returns the row at an index of the view, or undefined if it is not loaded. */
  row(index: number): Row | undefined {
    return this.#cache.row(index);
  }

  /** Returns the numeric ID of the row at an index of the view; null if there is no such row. */
  async idAt(index: number): Promise<number | null> {
    const known = this.#cache.row(index);
    if (known) return Number(known.id);
    const { rows: [row] } = await this.#call(this.#tableApi.rows(this.filter, this.#view, index, 1));
    return row ? Number(row.id) : null;
  }

  /** Replaces the text that somebody else entered first. */
  async overwrite({ rowId, column, mine, theirs }: Conflict, op: string): Promise<Verdict> {
    const { key, part } = this.#places.get(column)!;
    const attempt = new EditAttempt(op, [{ id: rowId, key, ...(part > 0 && { part }), text: mine, version: 0, seen: theirs.text }]);
    const verdict = await this.#call(attempt.send(this.#tableApi));
    this.#remember(verdict, null);
    const conflicts = attempt.conflicts.map((lost): Conflict => ({
      rowId, number: Number(rowId) + 1, column, mine, theirs: { text: lost.now, problems: [] }, ...(lost.deleted && { gone: true }),
    }));
    return { rows: [], cells: verdict.cells, conflicts };
  }

  async rows(from: number, to: number, signal: AbortSignal): Promise<RowWindow> {
    const first = this.#cache.takeFirstFor(from, to, this.total);
    if (first) return { total: this.total, revision: this.#view, rows: first };
    const came = await this.#call(this.#tableApi.rows(this.filter, this.#view, from, to - from, signal));
    signal.throwIfAborted();
    return { total: came.total, revision: came.view, rows: this.#store(came) };
  }

  async apply(batch: Batch): Promise<Verdict> {
    const plan = planEdit(batch, this.#places);
    if (plan.kind === 'tooMany') throw new SourceFault('failed', this.#texts.tooMany(plan.cells, maxCells));
    return plan.kind === 'named' ? this.#applyToCells(batch) : this.#applyToRange(batch, plan.order);
  }

  undo(id: string): Promise<Verdict> {
    return this.#undoOrRedo('undo', id);
  }

  redo(id: string): Promise<Verdict> {
    return this.#undoOrRedo('redo', id);
  }

  async problem(from: Spot | null, step: 1 | -1, signal: AbortSignal): Promise<Spot | null> {
    const here = from && (this.#cache.row(from.row) ?? (await this.rows(from.row, from.row + 1, signal)).rows[0]);
    if (from && !here) return null;
    const levels = this.#problemLevels();
    this.#locations.notes = levels[0] === 'problems';
    const inRow = here && this.#locations.nextInRow(here, from.column, step);
    if (inRow) return { row: from.row, column: inRow };
    const back = step < 0;
    const id = here?.id ?? (back ? afterLast : '');
    const found = await this.#call(Promise.all(levels.map((near) => this.#tableApi.nextProblem(this.filter, this.#view, { row: id, back, near }, signal))));
    const places = found.flatMap((spot) => (spot ? [spot.place] : []));
    if (places.length === 0) return null;
    const place = back ? Math.max(...places) : Math.min(...places);
    const known = this.#cache.row(place);
    const edge = known && this.#locations.edgeOfRow(known, step);
    if (edge) return { row: place, column: edge };
    const { rows: [row] } = await this.rows(place, place + 1, signal);
    return row ? { row: place, column: this.#locations.edgeOfRow(row, step) ?? from?.column ?? this.#locations.first } : null;
  }

  /**
   * Returns the problem levels to visit. Notes are included only if the filter shows them
   * or there are no other problems.
   */
  #problemLevels(): readonly ProblemLevel[] {
    return this.filter.show === 'infos' || !this.hasOther ? ['problems'] : ['errors', 'warnings'];
  }

  /** Drops the cached rows. */
  invalidate(): void {
    this.#cache.clear();
  }

  #store(came: WireWindow): readonly Row[] {
    if (came.view !== this.#view) this.#cache.clear();
    this.#view = came.view;
    this.total = came.total;
    const rows = came.rows.map((row) => this.#rows.convert(row, this.filter));
    this.#cache.store(came.first, rows);
    return rows;
  }

  async #applyToCells(batch: Batch): Promise<Verdict> {
    const attempt = this.#attempts.get(batch.id) ?? (await this.#startAttempt(batch));
    this.#attempts.set(batch.id, attempt);
    const verdict = await this.#call(attempt.send(this.#tableApi), batch.id);
    const rows = await this.#call(this.#rowsAfter(batch, verdict, attempt));
    this.#attempts.delete(batch.id);
    this.#remember(verdict, { row: batch.area.fromRow, column: batch.area.columns[0]! });
    return { rows, cells: verdict.cells, conflicts: attempt.conflicts.map((lost) => this.#conflict(lost, batch, rows)), stale: true };
  }

  async #startAttempt(batch: Batch): Promise<EditAttempt> {
    const rows = await this.#call(this.#rowsOf(batch));
    const cells = cellEdits(batch, rows, this.#places, this.#order);
    for (const cell of cells) this.#originals.remember(cell.id, columnKey(cell.key, cell.part ?? 0), cell.seen);
    return new EditAttempt(batch.id, cells);
  }

  /** Returns the rows of the area as the user saw them. Loads rows that were never shown. */
  async #rowsOf({ area, revision, seen }: Batch): Promise<Row[]> {
    const rows: Row[] = [];
    for (let index = area.fromRow; index < area.toRow; index++) {
      const known = seen.get(index);
      if (known) {
        rows.push(known);
        continue;
      }
      const came = await this.#tableApi.rows(this.filter, revision, index, Math.min(readAtOnce, area.toRow - index));
      if (came.view !== revision || came.rows.length === 0) throw new SourceFault('failed', this.#texts.moved());
      for (const [at, wire] of came.rows.entries()) {
        const before = seen.get(index + at);
        if (before && before.id !== wire.id) throw new SourceFault('failed', this.#texts.moved());
        rows.push(before ?? this.#rows.convert(wire, this.filter));
      }
      index += came.rows.length - 1;
    }
    return rows;
  }

  /** Returns the changed rows from the server or, if there are many, as they are expected to be. */
  async #rowsAfter(batch: Batch, verdict: WireVerdict, attempt: EditAttempt): Promise<readonly Row[]> {
    const { fromRow, toRow } = batch.area;
    if (toRow - fromRow > readAtOnce) return this.#expectedRows(batch, verdict.change, attempt);
    const came = await this.#tableApi.rows(this.filter, batch.revision, fromRow, toRow - fromRow);
    return came.rows.map((row) => this.#rows.convert(row, this.filter));
  }

  #expectedRows(batch: Batch, change: number, attempt: EditAttempt | null): Row[] {
    const { area, texts } = batch;
    const lost = new Map(attempt?.conflicts.map(({ id, key, part, now }) => [`${id} ${columnKey(key, part)}`, now]));
    return [...batch.seen].map(([index, row]) => {
      const line = texts[(index - area.fromRow) % texts.length]!;
      const put = area.columns.map((column, at) => [column, lost.get(`${row.id} ${column}`) ?? line[at % line.length]!] as const);
      return this.#rows.withTexts(row, new Map(put), change);
    });
  }

  async #applyToRange(batch: Batch, order: Omit<EditRequest, 'op'>): Promise<Verdict> {
    const { fromRow, columns } = batch.area;
    for (const row of batch.seen.values()) {
      for (const column of columns) this.#originals.remember(row.id, column, row.cells[this.#order.get(column)!]!.text);
    }
    const verdict = await this.#call(this.#tableApi.edit({ ...order, op: batch.id })).catch((cause) => this.#refusal(batch, cause));
    this.#remember(verdict, { row: fromRow, column: columns[0]! });
    return { rows: this.#expectedRows(batch, verdict.change, null), cells: verdict.cells, conflicts: [], stale: true };
  }

  /** Explains why the server rejected a range, usually because its rows have changed. */
  async #refusal(batch: Batch, cause: unknown): Promise<never> {
    if (!(cause instanceof Refused)) throw cause;
    const now = await this.#call(this.#tableApi.rows(this.filter, batch.revision, 0, 0));
    throw now.view === batch.revision && now.total === batch.total ? cause : new SourceFault('failed', this.#texts.moved());
  }

  async #undoOrRedo(which: 'undo' | 'redo', id: string): Promise<Verdict> {
    this.undoneBy = 'none';
    if (this.undos[which] === 0) return nothingUndone;
    try {
      const verdict = await this.#call(this.#tableApi.undoOrRedo(which, id));
      this.#cache.clear();
      this.undos[which === 'undo' ? 'redo' : 'undo']++;
      this.undoneBy = this.#own.has(verdict.change) ? 'own' : 'other';
      const spot = this.#locations.changedAt(verdict.change, this.#view);
      return { rows: [], cells: this.#locations.changedCells(verdict.change), conflicts: [], ...(spot && { spot }) };
    } catch (cause) {
      if (cause instanceof Refused && cause.code === 'nothing_to_undo') return nothingUndone;
      throw cause;
    }
  }

  /** Remembers the location of a change, so that undo can go there. */
  #remember(verdict: WireVerdict, spot: Spot | null): void {
    this.#cache.clear();
    if (verdict.change === 0) return;
    this.lastChange = verdict.change;
    this.#own.add(verdict.change);
    this.undos.undo++;
    this.#locations.remember(verdict.change, this.#view, spot, verdict.cells);
  }

  #conflict(lost: EditAttempt['conflicts'][number], batch: Batch, rows: readonly Row[]): Conflict {
    const column = columnKey(lost.key, lost.part);
    const at = [...batch.seen].find(([, row]) => row.id === lost.id)?.[0] ?? batch.area.fromRow;
    const line = batch.texts[(at - batch.area.fromRow) % batch.texts.length]!;
    const mine = line[batch.area.columns.indexOf(column) % line.length]!;
    const theirs: Cell = rows.find((row) => row.id === lost.id)?.cells[this.#order.get(column)!] ?? { text: lost.now, problems: [] };
    return { rowId: lost.id, number: Number(lost.id) + 1, column, mine, theirs, ...(lost.deleted && { gone: true }) };
  }

  /** Awaits a call to the server and converts its faults to faults of the grid. */
  async #call<T>(call: Promise<T>, attempt?: string): Promise<T> {
    try {
      return await call;
    } catch (cause) {
      if (isAborted(cause) || cause instanceof SourceFault) throw cause;
      if (!(cause instanceof Fault)) throw new SourceFault('failed', cause instanceof Error ? cause.message : String(cause));
      if (cause.kind === 'lost') throw new SourceFault('lost', this.#texts.unanswered());
      // The page shows that the review cannot continue. Reporting "lost" keeps the change on
      // screen until then.
      if (cause.code === 'not_in_review' || cause.kind === 'damaged') {
        this.#onFault(cause);
        throw new SourceFault('lost', this.#texts.unanswered());
      }
      if (attempt) this.#attempts.delete(attempt);
      if (cause.kind !== 'refused') this.#onFault(cause);
      throw new Refused(cause, (cause.detail && this.#texts.messageText?.(cause.detail)) ?? cause.message);
    }
  }
}

const nothingUndone: Verdict = { rows: [], cells: 0, conflicts: [] };

/** The error of a change that the server rejected, with its code. */
class Refused extends SourceFault {
  readonly code: string;
  constructor({ code }: Fault, message: string) {
    super('failed', message);
    this.code = code;
  }
}
