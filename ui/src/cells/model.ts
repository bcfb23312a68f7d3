import { Fault, isAborted, type ProgressEvent, type StateEvent, type Verdict } from '../api';
import type { Cell, Conflict, Grid, GridEvent, Row, Spot } from '../../grid';
import type { Frame, Unsent } from '../app/frame';
import { nameIn, placesOf, type Place } from './columns';
import type { First } from './begin';
import type { Desk } from './desk';
import { Facts, type Known } from './facts';
import { reword } from '../words/words';
import { everything, isNarrow, same, type Filter } from './filter';
import { keysOf, whereOf, type Deed } from './orders';
import { DeskSource } from './source';
import { atFirst, type Said, type State } from './state';
import { Store } from './store';
import { fitted } from './widths';
import type { T } from './words';

const sayFor = 12_000;
const retryAfter = 1500;
/** So many cells that were not saved are told one by one. */
const mostTold = 20;

/** Texts of a field, each with the one that is to stand in its place. */
export type Texts = readonly (readonly [string, string])[];

/** The table under review: what is shown of it, and everything that can be done. */
export class Model {
  readonly store: Store<State>;
  readonly source: DeskSource;
  readonly desk: Desk;
  readonly places: readonly Place[];
  readonly t: T;
  readonly frame: Frame;
  grid: Grid | null = null;
  readonly #facts: Facts;
  readonly #ops = new Set<string>();
  #asking: AbortController | null = null;
  #heard: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settled: (() => void)[] = [];

  constructor(frame: Frame, desk: Desk, { table, rows, heard }: First, t: T) {
    this.frame = frame;
    this.desk = desk;
    this.t = t;
    this.#heard = heard;
    this.places = fitted(placesOf(table.columns, frame.locale.tag), rows);
    const { totals, undo, redo } = table;
    this.store = new Store<State>({ ...atFirst, totals, undo, redo, total: totals.rows });
    const texts = {
      moved: () => t('moved'),
      tooMany: (n: number, most: number) => t('tooMany', { n, most }),
      unanswered: () => t('unanswered'),
      worded: (code: string, message: string) => reword(t, code, message),
    };
    this.source = new DeskSource(desk, this.places, texts, (fault) => frame.broken(fault));
    this.source.open(everything, rows);
    this.source.hasOther = totals.errors + totals.warnings > 0;
    Object.assign(this.source.turns, { undo, redo });
    this.#facts = new Facts(desk, (known) => this.#learn(known));
  }

  get now(): State {
    return this.store.now;
  }

  /** Listens to what happens elsewhere, until the function that it gives is called. */
  open(): () => void {
    this.#stand();
    void this.#count();
    const { last } = this.frame.events;
    if (last) this.#changed(last);
    const stop = this.frame.events.listen({
      state: (event) => this.#changed(event),
      progress: (event) => this.#progressed(event),
    });
    return () => {
      stop();
      this.#facts.close();
      this.#asking?.abort();
      clearTimeout(this.#timer);
    };
  }

  /** What else is known was read with the first rows; what is wrong with all of them can come behind. */
  async #count(): Promise<void> {
    const counts = await this.desk.counts().catch(() => null);
    const { totals, undo, redo } = this.now;
    if (counts) this.#learn({ totals, undo, redo, counts, fresh: false });
    else this.#facts.stir();
  }

  place(column: string): Place | undefined {
    return this.places.find((place) => place.column.key === column);
  }

  /** The row at a place of the view as it is shown, where it is here. */
  row(index: number): Row | undefined {
    return this.grid ? this.grid.row(index) : this.source.row(index);
  }

  /** What its cell shows; a change under way counts already. */
  cell(index: number, key: string): (Cell & { readonly pending: boolean }) | undefined {
    if (this.grid) return this.grid.cell(index, key);
    const cell = this.row(index)?.cells[this.places.findIndex((place) => place.column.key === key)];
    return cell && { ...cell, pending: false };
  }

  /** Takes what the grid tells. */
  hear(event: GridEvent): void {
    switch (event.type) {
      case 'selection': return this.#selected();
      case 'saving': return this.#saving(event.state, event.pending);
      case 'changed': return this.#moved(event.kind, event.cells, event.leftOut);
      case 'conflict': return this.#raced(event.conflict);
      case 'refused': return this.say({ text: event.message, wrong: true });
      case 'notice': return this.say({ text: event.message });
      case 'rows': return this.store.set({ total: event.total });
    }
  }

  /** Shows a sentence for a while. */
  say(said: Said | null): void {
    clearTimeout(this.#timer);
    this.store.set({ said });
    if (said) this.#timer = setTimeout(() => this.store.set({ said: null }), sayFor);
  }

  /** Shows the rows of another filter, as soon as they are found; the last one asked for counts. */
  async filterBy(filter: Filter): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.store.set({ wanted: filter, searching: true });
    try {
      await this.#shown(filter, asking.signal);
      this.store.set({ filter, fitting: null, searching: false, total: this.source.total });
      if (this.now.said?.text === this.t('unanswered')) this.say(null);
      this.grid?.reset(this.source.total);
    } catch (cause) {
      if (asking.signal.aborted || isAborted(cause)) return;
      this.store.set({ wanted: this.now.filter, searching: false });
      this.#failed(cause);
    }
  }

  /** Asks for the view until it is answered, or not wanted any more. */
  async #shown(filter: Filter, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.source.show(filter, signal);
      } catch (cause) {
        if (!(cause instanceof Fault) || cause.kind !== 'lost') throw cause;
        this.say({ text: this.t('unanswered'), wrong: true });
      }
      await new Promise((again) => setTimeout(again, retryAfter));
      signal.throwIfAborted();
    }
  }

  /** Makes the first cell of a field the active one. */
  lookAt(key: string): void {
    const place = this.places.find((one) => one.key === key);
    if (place && this.now.total > 0) this.grid?.goToRow(0, place.column.key);
  }

  /** Shows the rows that fit the filter by now. */
  renew(): Promise<void> {
    return this.filterBy(this.now.filter);
  }

  /** Gives up a search that is under way. */
  stopSearch(): void {
    this.#asking?.abort();
    this.store.set({ wanted: this.now.filter, searching: false });
  }

  /** Makes a change in its turn; `tell` says what came of it. */
  make(deed: Deed, tell: (verdict: Verdict) => string, then?: (verdict: Verdict) => void): void {
    this.grid?.act((op) => {
      this.#ops.add(op);
      return this.source.make({ ...deed, op }, (verdict) => {
        const done = verdict.cells + verdict.added + verdict.deleted > 0 || verdict.rows > 0;
        this.#did(tell(verdict), done && 'undo');
        then?.(verdict);
      });
    });
  }

  /** Puts another text in the place of each of several, as one change. */
  mapValues(key: string, texts: Texts): void {
    this.make(mapped(key, texts), ({ cells }) => (cells === 0 ? this.t('nothingChanged') : this.t('replacedCells', { n: cells })));
  }

  /** Says what that would do. */
  previewValues(key: string, texts: Texts, signal: AbortSignal): Promise<Verdict> {
    return this.preview(mapped(key, texts), signal);
  }

  /** Merges rows of a file by their numbers. */
  mergeFile(file: File, over: boolean): void {
    this.grid?.act((op) => {
      this.#ops.add(op);
      return this.source.merge(file, { op, over }, (verdict) => {
        this.#did(this.t('changedCells', { n: verdict.cells }), verdict.cells > 0 && 'undo');
      });
    });
  }

  /** Adds an empty row behind all others and goes there. */
  addRow(): void {
    this.make({ kind: 'add', rows: [[]] }, ({ added }) => this.t('added', { n: added }), () => void this.#showLast());
  }

  /** Says what a change would do. */
  preview(deed: Deed, signal: AbortSignal): Promise<Verdict> {
    return this.desk.edit({ ...deed, op: 'preview', preview: true }, signal);
  }

  /** The rows and fields that are selected, as a change takes them; null where there are none. */
  selected(): { where: ReturnType<typeof whereOf>; keys: string[]; rows: number } | null {
    const area = this.grid?.selected;
    if (!area) return null;
    const where = whereOf(area, this.source, (index) => this.grid!.row(index)?.id);
    return { where, keys: keysOf(area, this.places), rows: area.toRow - area.fromRow };
  }

  /** Whether the text of a cell that is selected is of a kind; also where some of them are not here to be looked at. */
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

  /** Opens a cell of which only the beginning is here: to edit it where the rest can be had, else gives what there is. */
  async openLong(spot: Spot, id: string): Promise<Row | null> {
    try {
      const row = await this.source.whole(spot.row);
      const at = this.places.findIndex((place) => place.column.key === spot.column);
      if (row?.id !== id || row.cells[at]?.cut) return row ?? null;
      this.grid?.edit(row, spot);
    } catch (cause) {
      this.say({ text: cause instanceof Error ? cause.message : String(cause), wrong: true });
    }
    return null;
  }

  /** Gives the keyboard to the table, or to the cards where those lie over it. */
  focus(): void {
    this.grid?.focus();
    if (document.activeElement === document.body) document.getElementById('cells-table')?.focus();
  }

  /** Leads to the next problem, or the one before. */
  async toProblem(step: 1 | -1): Promise<void> {
    this.grid?.focus();
    await this.grid?.goToProblem(step);
    this.store.set({ led: this.now.led + 1 });
  }

  /** What has no verdict yet; what is being typed counts. */
  unsent(): Unsent {
    (document.activeElement as HTMLElement | null)?.blur();
    const batches = this.grid?.unsent() ?? [];
    const changes = this.grid?.pending ?? 0;
    const cells: Unsent['cells'][number][] = [];
    let all = 0;
    for (const { area: { fromRow, toRow, columns }, texts, seen } of batches) {
      all += (toRow - fromRow) * columns.length;
      for (let row = fromRow; row < toRow && cells.length < mostTold; row++) {
        const line = texts[(row - fromRow) % texts.length]!;
        for (const [at, column] of columns.entries()) {
          const place = this.place(column);
          cells.push({ row: seen.get(row)?.number ?? row + 1, column: place?.column.label ?? column, text: nameIn(place, line[at % line.length]!) });
        }
      }
    }
    const told = cells.slice(0, mostTold);
    return { changes, cells: told, more: all - told.length, others: changes - batches.length };
  }

  keepTheirs(conflict: Conflict): void {
    this.#drop(conflict);
    this.grid?.settle(conflict.rowId, conflict.column);
  }

  putMine(conflict: Conflict): void {
    this.keepTheirs(conflict);
    this.grid?.act((op) => this.source.insist(conflict, op));
  }

  undo(): void {
    this.say(null);
    this.grid?.undo();
  }

  redo(): void {
    this.say(null);
    this.grid?.redo();
  }

  /** Waits until all changes are saved. */
  settle(): Promise<void> {
    return this.now.pending === 0 ? Promise.resolve() : new Promise((done) => this.#settled.push(done));
  }

  async #showLast(): Promise<void> {
    await this.filterBy(everything);
    this.grid?.goToRow(this.now.total - 1, this.places[0]?.column.key);
    this.grid?.focus();
  }

  #selected(): void {
    const { grid } = this;
    if (grid) this.store.set({ area: grid.selected, active: grid.active });
  }

  /** Says what came of a change. */
  #did(text: string, turn?: Said['turn'] | false): void {
    this.say({ text, ...(turn && { turn }), done: true });
  }

  #saving(saving: State['saving'], pending: number): void {
    if (saving === 'saving' && this.now.said?.done) this.say(null);
    this.store.set({ saving, pending, ...(pending === 0 && { progress: null }) });
    this.#stand();
    if (pending > 0) return;
    for (const done of this.#settled) done();
    this.#settled = [];
  }

  #moved(kind: 'apply' | 'undo' | 'redo' | 'act', cells: number, leftOut: string): void {
    this.store.set({ turn: this.now.turn + 1, progress: null });
    const changed = this.t('changedCells', { n: cells });
    if (kind === 'apply' && leftOut) this.#did(`${changed}${this.frame.locale.direction === 'rtl' ? '؛' : ';'} ${leftOut}`, cells > 0 && 'undo');
    else if (kind === 'apply' && cells > 1) this.#did(changed, 'undo');
    if (kind === 'undo' || kind === 'redo') this.#turned(kind, cells);
    this.#stir();
  }

  #turned(kind: 'undo' | 'redo', cells: number): void {
    const { t, source: { turned } } = this;
    if (turned === 'none') this.#did(t(kind === 'undo' ? 'undo.nothing' : 'redo.nothing'));
    else if (kind === 'undo' && turned === 'other') this.#did(t('undone.other'), 'redo');
    else if (kind === 'undo') this.#did(cells > 0 ? t('undone.cells', { n: cells }) : t('undone'));
    else this.#did(cells > 0 ? t('redone.cells', { n: cells }) : t('redone'));
  }

  #raced(conflict: Conflict): void {
    const others = this.now.conflicts.filter((one) => one.rowId !== conflict.rowId || one.column !== conflict.column);
    this.store.set({ conflicts: [...others, conflict] });
  }

  #drop(conflict: Conflict): void {
    this.store.set({ conflicts: this.now.conflicts.filter((one) => one !== conflict) });
  }

  /** Rows changed: what is counted is counted again. */
  #stir(): void {
    this.#facts.stir();
    if (isNarrow(this.now.filter)) void this.#refit(this.now.filter);
  }

  async #refit(filter: Filter): Promise<void> {
    const fitting = await this.source.fitting().catch(() => null);
    const { total } = this.now;
    if (same(filter, this.now.filter)) this.store.set({ fitting: fitting === total ? null : fitting });
  }

  /** Somebody changed something, perhaps this page. */
  #changed({ change, totals }: StateEvent): void {
    if (totals) this.#total(totals);
    this.#stand();
    const news = change !== this.#heard && change !== this.source.lastChange;
    this.#heard = change;
    // Until it is known how many there are now, they are asked for.
    if (news) Object.assign(this.source.turns, { undo: Infinity, redo: Infinity });
    if (!news || this.now.pending > 0) return;
    this.source.forget();
    this.grid?.refresh();
    this.store.set({ turn: this.now.turn + 1 });
    this.#stir();
  }

  #progressed(event: ProgressEvent): void {
    if (this.#ops.has(event.op)) this.store.set({ progress: event.done < event.total ? event : null });
  }

  #learn({ totals, undo, redo, counts, fresh }: Known): void {
    if (fresh) Object.assign(this.source.turns, { undo, redo });
    this.store.set({ undo, redo, counts, counted: true });
    this.#total(totals);
    this.#stand();
  }

  #total(totals: State['totals']): void {
    this.store.set({ totals });
    this.source.hasOther = totals.errors + totals.warnings > 0;
  }

  #stand(): void {
    const { totals: { rows, errors, warnings }, pending } = this.now;
    this.frame.standing({ rows, errors, warnings, pending });
  }

  #failed(cause: unknown): void {
    const lost = cause instanceof Fault && cause.kind === 'lost';
    if (cause instanceof Fault && (cause.kind === 'unauthorized' || cause.kind === 'gone')) this.frame.broken(cause);
    else this.say({ text: lost ? this.t('unanswered') : cause instanceof Error ? cause.message : String(cause), wrong: true });
  }
}

function mapped(key: string, texts: Texts): Deed {
  return { kind: 'mapValue', keys: [key], map: Object.fromEntries(texts), where: { show: 'all' } };
}
