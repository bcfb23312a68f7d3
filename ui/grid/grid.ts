import { toSourceFault } from './block-cache';
import { Clipboard } from './clipboard';
import { StatusOverlay } from './status-overlay';
import type { GridConfig } from './config';
import { Core } from './core';
import { Editing } from './editing';
import { fillInside, Keys } from './keys';
import { cellDescription } from './cell-display';
import { Menu } from './menu';
import { ProblemTooltip } from './problem-tooltip';
import { Renderer } from './renderer';
import { Pointer } from './pointer';
import type { Area, Batch, Cell, Column, Row, RowWindow, Spot, Verdict } from './row-source';
import type { Place } from './ranges';

const restAfter = 150;

/**
 * An editable table of any length. It requests visible rows from a RowSource and
 * sends every change to it. It stores no rows, does not validate values, and
 * fills its parent element.
 */
export class Grid {
  readonly #core: Core;
  readonly #renderer: Renderer;
  readonly #editing: Editing;
  readonly #status: StatusOverlay;
  readonly #tooltip: ProblemTooltip;
  readonly #menu: Menu;
  readonly #clipboard: Clipboard;
  readonly #keys: Keys;
  readonly #close = new AbortController();
  #rest: ReturnType<typeof setTimeout> | undefined;
  /** The search for a problem that runs last. Each one starts where the one before it ends. */
  #search = Promise.resolve();
  #searches = 0;

  constructor(host: HTMLElement, config: GridConfig) {
    const { signal } = this.#close;
    const core = new Core(host, config);
    const renderer = new Renderer(core);
    const element = (place: Place) => renderer.element(place);
    const fit = (col: number) => this.#fit(col);
    this.#core = core;
    this.#renderer = renderer;
    this.#editing = new Editing(core, element);
    this.#status = new StatusOverlay(core, signal);
    this.#tooltip = new ProblemTooltip(core, element, () => this.#editing.frame, signal);
    this.#menu = new Menu(core, (col) => renderer.head.cell(col), fit, signal);
    this.#clipboard = new Clipboard(core, () => core.surface.hasFocus && !this.#editing.isOpen, signal);
    this.#keys = new Keys(core, this.#actions());
    new Pointer(core, renderer, { ...this.#actions(), edit: () => this.#editing.start('keep'), commit: () => this.#editing.commit(), fit }, signal);
    this.#listen(signal);
    core.delegate = {
      paint: () => {
        this.#renderer.paint();
        this.#editing.check();
        this.#tooltip.show();
      },
      focus: () => this.#renderer.focus(),
      loaded: () => this.#loaded(),
      failed: (fault: Parameters<StatusOverlay['failed']>[0]) => this.#status.failed(fault),
      saving: (state: 'saved' | 'saving' | 'waiting', pending: number) => {
        this.#status.saving(state === 'waiting' ? pending : 0);
        this.#core.emit({ type: 'saving', state, pending });
      },
    };
    if (config.first) this.#open(config.first);
    core.paint();
  }

  /**
   * Draws the first rows immediately. Requests more rows only afterward, because the server
   * would compete with rendering for the CPU.
   */
  #open(first: RowWindow): void {
    this.#core.preload(first);
    this.#renderer.counted = true;
    this.#status.loaded();
    requestAnimationFrame(() => setTimeout(() => this.#core.blocks.resume()));
    this.#rest = setTimeout(() => this.#renderer.reorder(), restAfter);
  }

  /**
   * Scrolls to a row, given its index in the view, and activates its cell in the given column
   * or, by default, in the active column. The cell gets the keyboard focus unless `focus` is
   * false.
   */
  goToRow(index: number, column?: string, focus = true): void {
    if (column !== undefined && this.#core.columns.position(column) < 0) this.#core.config.reveal?.(column);
    const col = column === undefined ? this.#core.selection.active.col : this.#core.columns.position(column);
    this.#editing.commit();
    this.#core.view.center(Math.max(0, Math.min(this.#core.blocks.total - 1, index)));
    this.#core.moveTo({ row: Math.max(0, index), col: Math.max(0, col) }, false, focus);
  }

  /**
   * Moves to the next (1) or previous (-1) cell with a problem and announces it. After the last
   * problem, continues with the first one. Each call moves by one problem, even if an earlier
   * call is still running. Calls from a key that is held down are skipped in this case, because
   * they would continue after its release.
   */
  goToProblem(step: 1 | -1, held = false): Promise<void> {
    if (held && this.#searches > 0) return this.#search;
    this.#searches++;
    this.#search = this.#search.then(() => this.#findProblem(step)).then(() => void this.#searches--);
    return this.#search;
  }

  async #findProblem(step: 1 | -1): Promise<void> {
    const { selection, texts, surface, config: { source } } = this.#core;
    const { signal } = this.#close;
    try {
      const next = await source.problem(this.#core.spotOf(selection.active), step, signal);
      const spot = next ?? (await source.problem(null, step, signal));
      if (signal.aborted) return;
      const wrapped = next ? '' : spot ? texts.wrapped[step === 1 ? 'next' : 'previous'] : texts.noProblem;
      if (wrapped) this.#core.emit({ type: 'notice', message: wrapped });
      if (spot) this.#showProblem(spot, wrapped);
      else surface.announce(wrapped);
    } catch (cause) {
      if (!signal.aborted) this.#core.notify(toSourceFault(cause).message);
    }
  }

  /** Moves the keyboard focus to the grid. */
  focus(): void {
    this.#renderer.focus();
  }

  /**
   * Reloads the visible rows, because the view may have changed. The old rows stay on
   * screen in the meantime.
   */
  refresh(): void {
    this.#core.blocks.refresh();
    this.#core.invalidate();
  }

  /** Retries requests that wait for the connection. */
  retry(): void {
    this.#status.retry();
  }

  /** Sets the columns. Columns with a known key keep their width and stay pinned or unpinned. */
  setColumns(columns: readonly Column[]): void {
    this.#editing.commit();
    const { selection, columns: own } = this.#core;
    own.setColumns(columns);
    this.#core.moveTo({ row: selection.active.row, col: Math.min(selection.active.col, own.count - 1) });
    this.refresh();
  }

  /**
   * Shows a different view, with this many rows and these columns, from its beginning. Unsaved
   * changes are still sent.
   */
  reset(total: number, columns: readonly Column[]): void {
    this.#editing.commit();
    this.#core.columns.setColumns(columns);
    this.#core.blocks.clear(total);
    this.#core.view.go(0);
    this.#core.selection.to({ row: 0, col: this.#core.selection.active.col });
    this.#core.selectionChanged(this.#core.surface.hasFocus);
    this.#status.loaded();
  }

  /**
   * Changes one cell of the row at an index. Returns false if the row is not loaded or the
   * cell is read-only.
   */
  write(row: number, column: string, text: string): boolean {
    const col = this.#core.columns.position(column);
    if (col < 0 || this.#core.columns.at(col).readOnly || !this.#core.blocks.row(row)) return false;
    this.#core.change({ top: row, bottom: row, left: col, right: col }, [[text]], 'edit');
    return true;
  }

  /** Opens the editor for a cell whose full row has been loaded. */
  edit(row: Row, spot: Spot): void {
    this.#core.blocks.replace([row]);
    this.goToRow(spot.row, spot.column);
    this.#editing.start('keep');
  }

  /**
   * Queues an operation on the rows after the pending changes. Reloads the visible rows
   * when it is done.
   */
  enqueue(work: (id: string) => Promise<Verdict>): void {
    this.#editing.commit();
    this.#core.outbox.enqueue(work);
  }

  /** Removes the mark of a resolved conflict from a cell. */
  clearConflict(rowId: string, column: string): void {
    this.#core.conflicts.clear(rowId, column);
    this.#core.invalidate();
  }

  /** The selected area: rows of the view and column keys. Null while the header is active. */
  get selected(): Area | null {
    const { range } = this.#core.selection;
    return range && { fromRow: range.top, toRow: range.bottom + 1, columns: this.#core.columnKeys(range) };
  }

  /** The active cell. Its row is 0 while the header is active. */
  get active(): Spot {
    return this.#core.spotOf(this.#core.selection.active);
  }

  /**
   * Returns a cell as shown, including an unsaved change, or undefined if the row is not
   * loaded.
   */
  cell(row: number, column: string): (Cell & { readonly pending: boolean }) | undefined {
    const col = this.#core.columns.position(column);
    return col < 0 ? undefined : this.#core.cell({ row, col });
  }

  /** Returns the row at an index, or undefined if it is not loaded. */
  row(index: number): Row | undefined {
    return this.#core.blocks.row(index);
  }

  fillDown(): void {
    this.#actions().fill('down');
  }

  /** Clears the selected cells. */
  clear(): void {
    const range = this.#core.selection.range;
    if (range) this.#core.change(range, [['']], 'clear');
  }

  undo(): void {
    this.#core.outbox.undoOrRedo('undo');
  }

  redo(): void {
    this.#core.outbox.undoOrRedo('redo');
  }

  /** Number of unsaved changes. */
  get pending(): number {
    return this.#core.outbox.pending;
  }

  /** Ends the open edit and returns the unsaved cell changes. */
  unsent(): readonly Batch[] {
    this.#editing.commit();
    return this.#core.outbox.batches;
  }

  /** Removes the grid from the page. Unsaved changes are no longer sent, so check pending first. */
  destroy(): void {
    clearTimeout(this.#rest);
    this.#close.abort();
    this.#core.close();
  }

  #actions() {
    return {
      edit: (first: 'keep' | 'replace') => this.#editing.start(first),
      openMenu: (col: number) => this.#menu.open(col),
      clear: () => this.clear(),
      fill: (direction: 'down' | 'right') => fillInside(this.#core, direction, (range) => this.#clipboard.read(range)),
      toggle: (place: Place) => this.#editing.toggle(place),
      problem: (step: 1 | -1, held: boolean) => void this.goToProblem(step, held),
      dismiss: () => this.#tooltip.dismiss(),
      read: (range: Parameters<Clipboard['read']>[0]) => this.#clipboard.read(range),
    };
  }

  #listen(signal: AbortSignal): void {
    const { scroller } = this.#core.surface;
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true, signal });
    scroller.addEventListener('keydown', (event) => {
      if (!this.#editing.isOpen && this.#keys.press(event)) event.preventDefault();
    }, { signal });
    // The scroller gets the focus through Tab while the active cell is not drawn.
    scroller.addEventListener('focus', () => this.#renderer.element(this.#core.selection.active) && this.#renderer.focus(), { signal });
    // ResizeObserver also fires once when it starts observing.
    const watch = new ResizeObserver(() => this.#core.view.isMeasured || this.#core.repaint());
    watch.observe(scroller);
    signal.addEventListener('abort', () => watch.disconnect());
  }

  #scrolled(): void {
    this.#core.view.follow();
    this.#core.paint();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#scrollEnded(), restAfter);
  }

  /** Runs after a pause in scrolling, because not every browser supports scrollend. */
  #scrollEnded(): void {
    this.#core.view.rest();
    this.#core.paint();
    this.#renderer.reorder();
  }

  #loaded(): void {
    const first = !this.#renderer.counted;
    this.#renderer.counted = true;
    this.#status.loaded();
    this.#core.emit({ type: 'rows', total: this.#core.blocks.total });
    if (first) this.#core.invalidate();
    else this.#core.repaint();
    if (first) this.#rest = setTimeout(() => this.#renderer.reorder(), restAfter);
  }

  #showProblem(spot: Spot, before: string): void {
    const { columns, texts, surface } = this.#core;
    this.goToRow(spot.row, spot.column);
    const place = { row: spot.row, col: columns.position(spot.column) };
    const cell = this.#core.cell(place);
    const what = cell ? cellDescription(this.#core, cell, undefined) : '';
    surface.announce(`${before} ${texts.place(cell?.row.number ?? spot.row + 1, columns.at(place.col).label)}. ${what}`);
  }

  #fit(col: number): void {
    const { columns, view } = this.#core;
    const cells = Array.from({ length: view.rows.last - view.rows.first + 1 }, (_, at) => view.rows.first + at);
    const widths = [-1, ...cells].map((row) => widthOf(this.#renderer.element({ row, col })));
    columns.resize(col, Math.max(...widths));
    this.#core.invalidate();
  }
}

/** Returns the width that a cell needs for its text, in pixels. */
function widthOf(cell: HTMLElement | undefined): number {
  const text = cell?.querySelector('.ig-text, .ig-label');
  if (!cell || !text) return 0;
  const range = document.createRange();
  range.selectNodeContents(text);
  return Math.ceil(range.getBoundingClientRect().width) + (cell.clientWidth - text.clientWidth) + 2;
}
