import { Fault, isAborted, type ProgressEvent, type StateEvent, type Verdict } from '../api';
import type { Cell, Column, Conflict, Grid, GridEvent, Row, Spot } from '../../grid';
import type { CellsHost, UnsentChanges } from './host';
import { displayName, placesOf, type Place } from './columns';
import type { FirstRows } from './preload';
import type { TableApi } from './table-api';
import { CountsRefresher, type TableCounts } from './counts-refresher';
import { messageText } from '../i18n/messages';
import { faultText } from './fault-text';
import { allRows, isFiltered, sameFilter, type Filter } from './filter';
import { filterAfter, stableOrder } from './problem-groups';
import { editableKeys, scopeOf, type EditSpec } from './selection-scope';
import { ReviewRowSource } from './row-source';
import { initialState, type StatusMessage, type State } from './state';
import { Store } from './store';
import { fitColumnWidths, widenForProblems } from './column-widths';
import type { Message } from '../i18n/types';
import type { T } from './texts';

const messageFor = 12_000;
const retryAfter = 1500;
/** Maximum number of unsaved cells to list. */
const maxListed = 20;

/** Pairs of a raw value and its replacement. */
export type Texts = readonly (readonly [string, string])[];

/** The table under review, with its state and all operations on it. */
export class Model {
  readonly store: Store<State>;
  readonly source: ReviewRowSource;
  readonly tableApi: TableApi;
  places: readonly Place[];
  readonly t: T;
  readonly host: CellsHost;
  grid: Grid | null = null;
  readonly #counts: CountsRefresher;
  readonly #ops = new Set<string>();
  /** Number of rows of each problem group when it was first counted, which determines the order. */
  readonly #firstCounts = new Map<string, number>();
  /** The problem groups when the filter was chosen. */
  #groups: State['counts'] = [];
  #asking: AbortController | null = null;
  /** The order requested last, which the rows in view may not have yet. */
  #sort: State['sort'] = null;
  #lastChange: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onceSaved: (() => void)[] = [];

  constructor(host: CellsHost, tableApi: TableApi, { table, rows, lastChange }: FirstRows, t: T) {
    this.host = host;
    this.tableApi = tableApi;
    this.t = t;
    this.#lastChange = lastChange;
    this.places = fitColumnWidths(placesOf(table.columns, host.locale.tag), rows.rows);
    const { totals, undo, redo } = table;
    this.store = new Store<State>({ ...initialState, totals, undo, redo, total: totals.rows });
    const texts = {
      moved: () => t('moved'),
      tooMany: (n: number, most: number) => t('tooMany', { n, most }),
      unanswered: () => t('unanswered'),
      messageText: (message: Message) => messageText(t, message),
    };
    this.source = new ReviewRowSource(tableApi, this.places, texts, (fault) => host.onFault(fault));
    this.source.setView(allRows, rows);
    this.source.hasOther = totals.errors + totals.warnings > 0;
    Object.assign(this.source.undos, { undo, redo });
    this.#counts = new CountsRefresher(tableApi, (known) => this.#setCounts(known));
  }

  get now(): State {
    return this.store.now;
  }

  /** Starts listening to events. Returns a function that stops listening. */
  subscribe(): () => void {
    this.#reportTotals();
    void this.#count();
    const { last } = this.host.events;
    if (last) this.#onState(last);
    const stop = this.host.events.listen({
      state: (event) => this.#onState(event),
      progress: (event) => this.#onProgress(event),
    });
    return () => {
      stop();
      this.#counts.close();
      this.#asking?.abort();
      clearTimeout(this.#timer);
    };
  }

  /**
   * Requests the problem counts, which are the only data that did not arrive with the first
   * rows.
   */
  async #count(): Promise<void> {
    const counts = await this.tableApi.counts().catch(() => null);
    const { totals, undo, redo } = this.now;
    if (counts) this.#setCounts({ totals, undo, redo, counts, fresh: false });
    else this.#counts.schedule();
  }

  place(column: string): Place | undefined {
    return this.places.find((place) => place.column.key === column);
  }

  /** Returns the row at an index of the view, or undefined if it is not loaded. */
  row(index: number): Row | undefined {
    return this.grid ? this.grid.row(index) : this.source.row(index);
  }

  /** Returns a cell as shown, including an unsaved change. */
  cell(index: number, key: string): (Cell & { readonly pending: boolean }) | undefined {
    if (this.grid) return this.grid.cell(index, key);
    const cell = this.row(index)?.cells[this.places.findIndex((place) => place.column.key === key)];
    return cell && { ...cell, pending: false };
  }

  /**
   * The number of the active row, as shown in the first column, and its position in the view if
   * that is different.
   */
  get rowName(): string {
    const { t, now: { active, total } } = this;
    if (total === 0) return t('noRows');
    const at = Math.min(total, active.row + 1);
    const row = this.row(at - 1)?.number ?? at;
    return row === at ? t('rowOf', { row, total }) : t('rowIn', { row, at, total });
  }

  /** The location of the active row in the file; "" if it is unknown, as for an added row. */
  get lineName(): string {
    const line = this.row(this.now.active.row)?.line;
    return line ? this.t('lineOf', { line }) : '';
  }

  /** Handles the events of the grid. */
  onGridEvent(event: GridEvent): void {
    switch (event.type) {
      case 'selection': return this.#selectionChanged();
      case 'saving': return this.#onSaving(event.state, event.pending);
      case 'changed': return this.#onSaved(event.kind, event.cells, event.leftOut);
      case 'conflict': return this.#addConflict(event.conflict);
      case 'refused': return this.showMessage({ text: event.message, wrong: true });
      case 'notice': return this.showMessage({ text: event.message });
      case 'rows': return this.store.set({ total: event.total });
    }
  }

  /** Shows a message for a while. */
  showMessage(message: StatusMessage | null): void {
    clearTimeout(this.#timer);
    this.store.set({ message });
    if (message) this.#timer = setTimeout(() => this.store.set({ message: null }), messageFor);
  }

  /**
   * Shows the rows that match a new filter when they have arrived, by default in the current order. If
   * filterBy is called again before that, only the latest call has an effect.
   */
  async filterBy(filter: Filter, sort = this.#sort): Promise<void> {
    this.#sort = sort;
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.store.set({ wanted: filter, searching: true });
    try {
      await this.#openFilter({ ...filter, ...(sort && { sort: sort.key, desc: sort.desc }) }, asking.signal);
      this.#groups = this.now.counts;
      this.store.set({ filter, sort, fitting: null, searching: false, total: this.source.total });
      if (this.now.message?.unanswered) this.showMessage(null);
      // Markers must not hide a part of the values to fix.
      this.places = widenForProblems(this.places, this.source.opened);
      this.grid?.reset(this.source.total, this.columns);
    } catch (cause) {
      if (asking.signal.aborted || isAborted(cause)) return;
      this.#sort = this.now.sort;
      this.store.set({ wanted: this.now.filter, searching: false });
      this.#showFault(cause);
    }
  }

  /** The columns of the grid. */
  get columns(): readonly Column[] {
    const { sort, hidden } = this.now;
    return this.places.map(({ column, key }) => ({
      ...column, ...(hidden.has(column.key) && { hidden: true }), ...(sort?.key === key && { sorted: sort.desc ? 'descending' : 'ascending' }),
    }));
  }

  /** Returns the items of the menu of a column. */
  columnMenu(column: string): readonly { readonly label: string; act(): void }[] {
    const { t, now: { sort, hidden } } = this;
    const key = this.place(column)!.key;
    const last = this.places.length - hidden.size === 1;
    return [
      { label: t('column.ascending'), act: () => void this.sortBy({ key, desc: false }) },
      { label: t('column.descending'), act: () => void this.sortBy({ key, desc: true }) },
      ...(sort ? [{ label: t('column.unsort'), act: () => void this.sortBy(null) }] : []),
      ...(last ? [] : [{ label: t('column.hide'), act: () => this.#setHidden(new Set([...hidden, column])) }]),
    ];
  }

  /** Sorts the rows by a field, or not at all. */
  sortBy(sort: State['sort']): Promise<void> {
    return this.filterBy(this.now.wanted, sort);
  }

  /** Shows a hidden column. */
  reveal(column: string): void {
    this.#setHidden(new Set([...this.now.hidden].filter((one) => one !== column)));
  }

  showAllColumns(): void {
    this.#setHidden(new Set());
  }

  #setHidden(hidden: State['hidden']): void {
    this.store.set({ hidden });
    this.grid?.setColumns(this.columns);
  }

  /** Opens a view. Retries while the server does not respond. */
  async #openFilter(filter: Filter, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.source.filterBy(filter, signal);
      } catch (cause) {
        if (!(cause instanceof Fault) || cause.kind !== 'lost') throw cause;
        this.showMessage({ text: this.t('unanswered'), wrong: true, unanswered: true });
      }
      await new Promise((again) => setTimeout(again, retryAfter));
      signal.throwIfAborted();
    }
  }

  /** Activates the first cell of a field, without moving the focus unless `focus` is set. */
  activate(key: string, focus = true): void {
    const place = this.places.find((one) => one.key === key);
    if (place && this.now.total > 0) this.grid?.goToRow(0, place.column.key, focus);
  }

  /** If rows have errors, shows only those, unless the user has already started. */
  showFirstErrors(): void {
    const { totals, wanted, active, jumps, turn } = this.now;
    if (totals.errors > 0 && !isFiltered(wanted) && active.row + jumps + turn === 0) void this.filterBy({ show: 'errors' });
  }

  /** Applies the current filter again. */
  refilter(): Promise<void> {
    return this.filterBy(this.now.filter);
  }

  /**
   * Shows the next rows to fix if no row matches the filter anymore. Waits while the user is
   * typing into a cell.
   */
  advance(): void {
    const { filter, wanted, counts, counted, pending, searching } = this.now;
    if (!counted || pending > 0 || searching || !sameFilter(filter, wanted)) return;
    if (document.activeElement?.closest('.ig-editor, .c-card-field textarea')) return;
    const next = filterAfter(filter, this.#groups, counts);
    if (next) void this.filterBy(next).then(() => this.activate(next.key ?? '', document.activeElement?.closest('.ig-scroller') != null));
  }

  /** Cancels a running search. */
  stopSearch(): void {
    this.#asking?.abort();
    this.#sort = this.now.sort;
    this.store.set({ wanted: this.now.filter, searching: false });
  }

  /** Queues a change. `describe` returns the message that reports its result. */
  applyEdit(edit: EditSpec, describe: (verdict: Verdict) => string, then?: (verdict: Verdict) => void): void {
    this.grid?.enqueue((op) => {
      this.#ops.add(op);
      return this.source.applyEdit({ ...edit, op }, (verdict) => {
        const done = verdict.cells + verdict.added + verdict.deleted > 0 || verdict.rows > 0;
        this.#showOutcome(describe(verdict), done && 'undo');
        then?.(verdict);
      });
    });
  }

  /** Replaces several values as one change. */
  mapValues(key: string, texts: Texts): void {
    this.applyEdit(mapEdit(key, texts), ({ cells }) => (cells === 0 ? this.t('nothingChanged') : this.t('replacedCells', { n: cells })));
  }

  /** Previews the replacement of several values. */
  previewValues(key: string, texts: Texts, signal: AbortSignal): Promise<Verdict> {
    return this.preview(mapEdit(key, texts), signal);
  }

  /** Merges the rows of a file by their row numbers. */
  mergeFile(file: File, over: boolean): void {
    this.grid?.enqueue((op) => {
      this.#ops.add(op);
      return this.source.mergeFile(file, { op, over }, (verdict) => {
        this.#showOutcome(this.t('changedCells', { n: verdict.cells }), verdict.cells > 0 && 'undo');
      });
    });
  }

  /** Adds an empty row at the end and goes to it. */
  addRow(): void {
    this.applyEdit({ kind: 'add', rows: [[]] }, ({ added }) => this.t('added', { n: added }), () => void this.#showLast());
  }

  /** Deletes rows and reports how many. */
  deleteRows(edit: EditSpec): void {
    this.applyEdit(edit, ({ deleted }) => this.t('deleted', { n: deleted }));
  }

  /** Previews a change. */
  preview(edit: EditSpec, signal: AbortSignal): Promise<Verdict> {
    return this.tableApi.edit({ ...edit, op: 'preview', preview: true }, signal);
  }

  /** Returns the selected rows and fields as the scope of a change; null if nothing is selected. */
  selected(): { where: ReturnType<typeof scopeOf>; keys: string[]; rows: number } | null {
    const area = this.grid?.selected;
    if (!area) return null;
    const where = scopeOf(area, this.source, (index) => this.grid!.row(index)?.id);
    return { where, keys: editableKeys(area, this.places), rows: area.toRow - area.fromRow };
  }

  /** Returns the first selected rows that are loaded. */
  firstSelected(): Row[] {
    const { fromRow, toRow } = this.grid!.selected!;
    return Array.from({ length: Math.min(5, toRow - fromRow) }, (_, at) => this.row(fromRow + at)).filter((row) => row !== undefined);
  }

  /**
   * Reports whether any selected text satisfies a predicate. Cells that are not loaded
   * count as satisfying it.
   */
  areaHas(is: (text: string) => boolean): boolean {
    const { fromRow, toRow, columns } = this.grid!.selected!;
    const open = columns.filter((column) => !this.place(column)?.column.readOnly);
    for (let index = fromRow; index < toRow; index++) {
      for (const column of open) {
        const cell = this.cell(index, column);
        if (!cell || cell.cut || is(cell.text)) return true;
      }
    }
    return false;
  }

  /**
   * Opens a truncated cell in the editor if its full text can be loaded. Otherwise, returns
   * the row with the part of the text that is available.
   */
  async openLongCell(spot: Spot, id: string): Promise<Row | null> {
    try {
      const row = await this.source.fullRow(spot.row);
      const at = this.places.findIndex((place) => place.column.key === spot.column);
      if (row?.id !== id || row.cells[at]?.cut) return row ?? null;
      this.grid?.edit(row, spot);
    } catch (cause) {
      this.showMessage({ text: faultText(this.t, cause), wrong: true });
    }
    return null;
  }

  /** Focuses the table, or the cards if they cover the table. */
  focus(): void {
    this.grid?.focus();
    if (document.activeElement === document.body) document.getElementById('cells-table')?.focus();
  }

  /** Goes to the next or previous problem. `held` is set while a key is held down. */
  async goToProblem(step: 1 | -1, held = false): Promise<void> {
    this.grid?.focus();
    await this.grid?.goToProblem(step, held);
    this.store.set({ jumps: this.now.jumps + 1 });
  }

  /** Returns the unsaved changes, including the text that the user is typing. */
  unsent(): UnsentChanges {
    (document.activeElement as HTMLElement | null)?.blur();
    const batches = this.grid?.unsent() ?? [];
    const changes = this.grid?.pending ?? 0;
    const cells: UnsentChanges['cells'][number][] = [];
    let all = 0;
    for (const { area: { fromRow, toRow, columns }, texts, seen } of batches) {
      all += (toRow - fromRow) * columns.length;
      for (let row = fromRow; row < toRow && cells.length < maxListed; row++) {
        const line = texts[(row - fromRow) % texts.length]!;
        for (const [at, column] of columns.entries()) {
          const place = this.place(column);
          cells.push({ row: seen.get(row)?.number ?? row + 1, column: place?.column.label ?? column, text: displayName(place, line[at % line.length]!) });
        }
      }
    }
    const listed = cells.slice(0, maxListed);
    return { changes, cells: listed, more: all - listed.length, others: changes - batches.length };
  }

  keepTheirs(conflict: Conflict): void {
    this.#removeConflict(conflict);
    this.grid?.clearConflict(conflict.rowId, conflict.column);
  }

  keepMine(conflict: Conflict): void {
    this.keepTheirs(conflict);
    this.grid?.enqueue((op) => this.source.overwrite(conflict, op));
  }

  undo(): void {
    this.showMessage(null);
    this.grid?.undo();
  }

  redo(): void {
    this.showMessage(null);
    this.grid?.redo();
  }

  /** Resolves when all changes are saved. */
  whenSaved(): Promise<void> {
    return this.now.pending === 0 ? Promise.resolve() : new Promise((done) => this.#onceSaved.push(done));
  }

  async #showLast(): Promise<void> {
    await this.filterBy(allRows);
    this.grid?.goToRow(this.now.total - 1, this.places[0]?.column.key);
    this.grid?.focus();
  }

  #selectionChanged(): void {
    const { grid } = this;
    if (grid) this.store.set({ area: grid.selected, active: grid.active });
  }

  /** Shows the result of a change. */
  #showOutcome(text: string, turn?: StatusMessage['turn'] | false): void {
    this.showMessage({ text, ...(turn && { turn }), done: true });
  }

  #onSaving(saving: State['saving'], pending: number): void {
    if (saving === 'saving' && this.now.message?.done) this.showMessage(null);
    this.store.set({ saving, pending, ...(pending === 0 && { progress: null }) });
    this.#reportTotals();
    if (pending > 0) return;
    for (const done of this.#onceSaved) done();
    this.#onceSaved = [];
  }

  #onSaved(kind: 'apply' | 'undo' | 'redo' | 'act', cells: number, leftOut: string): void {
    this.store.set({ turn: this.now.turn + 1, progress: null });
    const changed = this.t('changedCells', { n: cells });
    if (kind === 'apply' && leftOut) this.#showOutcome(`${changed}${this.host.locale.direction === 'rtl' ? '؛' : ';'} ${leftOut}`, cells > 0 && 'undo');
    else if (kind === 'apply' && cells > 1) this.#showOutcome(changed, 'undo');
    if (kind === 'undo' || kind === 'redo') this.#showUndone(kind, cells);
    this.#rowsChanged();
  }

  #showUndone(kind: 'undo' | 'redo', cells: number): void {
    const { t, source: { undoneBy } } = this;
    if (undoneBy === 'none') this.#showOutcome(t(kind === 'undo' ? 'undo.nothing' : 'redo.nothing'));
    else if (kind === 'undo' && undoneBy === 'other') this.#showOutcome(t('undone.other'), 'redo');
    else if (kind === 'undo') this.#showOutcome(cells > 0 ? t('undone.cells', { n: cells }) : t('undone'));
    else this.#showOutcome(cells > 0 ? t('redone.cells', { n: cells }) : t('redone'));
  }

  #addConflict(conflict: Conflict): void {
    const others = this.now.conflicts.filter((one) => one.rowId !== conflict.rowId || one.column !== conflict.column);
    this.store.set({ conflicts: [...others, conflict] });
  }

  #removeConflict(conflict: Conflict): void {
    this.store.set({ conflicts: this.now.conflicts.filter((one) => one !== conflict) });
  }

  /** Refreshes the counts after rows have changed. */
  #rowsChanged(): void {
    this.#counts.schedule();
    if (isFiltered(this.now.filter)) void this.#countMatching(this.now.filter);
  }

  async #countMatching(filter: Filter): Promise<void> {
    const fitting = await this.source.countMatching().catch(() => null);
    const { total } = this.now;
    if (sameFilter(filter, this.now.filter)) this.store.set({ fitting: fitting === total ? null : fitting });
  }

  /** Handles a change by any user, including changes made on this page. */
  #onState({ change, totals }: StateEvent): void {
    if (totals) this.#setTotals(totals);
    this.#reportTotals();
    const news = change !== this.#lastChange && change !== this.source.lastChange;
    this.#lastChange = change;
    // The number of undo steps is unknown now, so let the server decide.
    if (news) Object.assign(this.source.undos, { undo: Infinity, redo: Infinity });
    if (!news || this.now.pending > 0) return;
    this.source.invalidate();
    this.grid?.refresh();
    this.store.set({ turn: this.now.turn + 1 });
    this.#rowsChanged();
  }

  #onProgress(event: ProgressEvent): void {
    if (this.#ops.has(event.op)) this.store.set({ progress: event.done < event.total ? event : null });
  }

  #setCounts({ totals, undo, redo, counts, fresh }: TableCounts): void {
    if (fresh) Object.assign(this.source.undos, { undo, redo });
    this.store.set({ undo, redo, counts: stableOrder(counts, this.#firstCounts), counted: true });
    this.#setTotals(totals);
    this.#reportTotals();
    this.advance();
  }

  #setTotals(totals: State['totals']): void {
    this.store.set({ totals });
    this.source.hasOther = totals.errors + totals.warnings > 0;
  }

  #reportTotals(): void {
    const { totals: { rows, errors, warnings }, pending } = this.now;
    this.host.onTotals({ rows, errors, warnings, pending });
  }

  #showFault(cause: unknown): void {
    if (cause instanceof Fault && cause.endsReview) this.host.onFault(cause);
    else this.showMessage({ text: faultText(this.t, cause), wrong: true });
  }
}

function mapEdit(key: string, texts: Texts): EditSpec {
  return { kind: 'mapValue', keys: [key], map: Object.fromEntries(texts), where: { show: 'all' } };
}
