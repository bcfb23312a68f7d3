import { BlockCache } from './block-cache';
import { Columns } from './columns';
import { Conflicts } from './conflicts';
import type { GridConfig, GridEvent } from './config';
import { Outbox, newId, type ChangeKind } from './outbox';
import type { Batch, Cell, EditAction, Row, RowWindow, SourceFault, Spot, Verdict } from './row-source';
import type { Place, Range } from './ranges';
import { Selection } from './selection';
import { Surface } from './surface';
import { english, type Texts } from './texts';
import { Viewport } from './viewport';

/** Callbacks from Core to the parts that draw and load, which are created after it. */
export interface CoreDelegate {
  paint(): void;
  /** Moves the keyboard focus to the active cell. */
  focus(): void;
  loaded(): void;
  failed(fault: SourceFault): void;
  saving(state: 'saved' | 'saving' | 'waiting', pending: number): void;
}

type ShownCell = Cell & { pending: boolean };

const none: Cell = { text: '', problems: [] };

/** The parts of one grid, and the actions that they share: move, change and repaint. */
export class Core {
  readonly columns: Columns;
  readonly blocks: BlockCache;
  readonly outbox: Outbox;
  readonly selection = new Selection();
  readonly conflicts = new Conflicts();
  readonly surface: Surface;
  readonly view: Viewport;
  readonly texts: Texts;
  readonly config: GridConfig;
  delegate!: CoreDelegate;
  /** The largest row number shown so far. Filtered rows keep their numbers. */
  maxNumber = 0;
  /** Increases with every change in appearance that does not change a row. */
  version = 0;
  readonly formatNumber: (n: number) => string;
  #frame = 0;

  constructor(host: HTMLElement, config: GridConfig) {
    this.config = config;
    this.texts = config.texts ?? english(config.locale);
    this.formatNumber = config.number ?? numbers(config.locale);
    this.columns = new Columns(config.columns);
    this.surface = new Surface(host, config.label);
    this.view = new Viewport(this.surface, this.columns, config.rowHeight ?? 32, config.room);
    this.blocks = new BlockCache(config.source, {
      loaded: (window) => {
        this.#trackRowNumbers(window);
        this.delegate.loaded();
      },
      failed: (fault) => this.delegate.failed(fault),
    });
    this.outbox = new Outbox(config.source, {
      done: (verdict, kind, batch) => this.#applied(verdict, kind, batch),
      refused: (fault) => this.#refused(fault),
      saving: (state, pending) => this.delegate.saving(state, pending),
    });
  }

  /** Stores the first rows of the view before the first paint. */
  preload(window: RowWindow): void {
    this.#trackRowNumbers(window);
    this.blocks.preload(window);
  }

  #trackRowNumbers({ total, rows }: RowWindow): void {
    this.maxNumber = Math.max(this.maxNumber, total, rows.at(-1)?.number ?? 0);
  }

  emit(event: GridEvent): void {
    this.config.listen?.(event);
  }

  /** Reports a message to the host and announces it to screen readers. */
  notify(message: string): void {
    this.surface.announce(message);
    this.emit({ type: 'notice', message });
  }

  /** Redraws everything in the next frame. */
  invalidate(): void {
    this.version++;
    this.repaint();
  }

  /** Redraws in the next frame. If more than the set of visible rows has changed, call invalidate instead. */
  repaint(): void {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.paint());
  }

  paint(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.delegate.paint();
  }

  /**
   * Makes a cell the active cell or, if `extend` is set, the opposite corner of the range.
   * Scrolls it into view.
   */
  moveTo(place: Place, extend = false, focus = true): void {
    if (extend) this.selection.extend(place);
    else this.selection.to(place);
    this.view.reveal(extend ? this.selection.corner : this.selection.active);
    this.selectionChanged(focus);
  }

  /** Draws the new selection, announces it, and reports it to the host. */
  selectionChanged(focus = true): void {
    this.version++;
    this.paint();
    if (focus) this.delegate.focus();
    const range = this.selection.range;
    if (range && (range.top !== range.bottom || range.left !== range.right)) {
      this.surface.announce(this.texts.selected(range.bottom - range.top + 1, range.right - range.left + 1));
    }
    this.emit({ type: 'selection', range, active: this.selection.active });
  }

  /** Returns a cell as shown, with its row, or undefined if the row is not loaded. */
  cell(place: Place): (ShownCell & { row: Row }) | undefined {
    const row = this.blocks.row(place.row);
    return row && { ...this.cellOf(row, place.row, place.col), row };
  }

  /** Returns a cell as shown, including an unsaved change. */
  cellOf(row: Row, index: number, position: number): ShownCell {
    const cell = row.cells[this.columns.sourceIndex(position)] ?? none;
    const pendingText = this.outbox.pendingText(index, this.columns.at(position).key, row.id, this.blocks.revision);
    return pendingText === undefined ? { ...cell, pending: false } : { text: pendingText, problems: none.problems, pending: true };
  }

  /** Converts a cell position to the rows and columns of the source. */
  spotOf(place: Place): Spot {
    return { row: Math.max(0, place.row), column: this.columns.at(place.col).key };
  }

  columnKeys(range: Range): string[] {
    const keys: string[] = [];
    for (let col = range.left; col <= range.right; col++) keys.push(this.columns.at(col).key);
    return keys;
  }

  /**
   * Changes a range. If `texts` is smaller than the range, it repeats. Read-only columns
   * are skipped. `before` is the first row as the user saw it, if it has changed since.
   * `leftOut` is reported once the change is saved.
   */
  change(range: Range, texts: readonly (readonly string[])[], action: EditAction, before?: Row, leftOut?: Batch['leftOut']): void {
    const all = this.columnKeys(range);
    const open = all.map((_, at) => at).filter((at) => !this.columns.at(range.left + at).readOnly);
    if (open.length < all.length) this.surface.announce(this.texts.readOnly(this.columns.at(range.left).label));
    if (open.length === 0) return;
    const whole = open.length === all.length;
    const fitted = whole ? texts : texts.map((line) => open.map((at) => line[at % line.length]!));
    const columns = open.map((at) => all[at]!);
    const versions: Record<string, number> = {};
    const seen = new Map(this.blocks.loaded(range.top, range.bottom + 1));
    if (before) seen.set(range.top, before);
    for (const row of seen.values()) {
      versions[row.id] = row.version;
      for (const column of columns) this.conflicts.clear(row.id, column);
    }
    this.outbox.apply({
      id: newId(),
      action,
      area: { fromRow: range.top, toRow: range.bottom + 1, columns },
      revision: this.blocks.revision,
      total: this.blocks.total,
      texts: fitted,
      versions,
      seen,
      ...(leftOut && { leftOut }),
    });
    this.invalidate();
  }

  #applied(verdict: Verdict, kind: ChangeKind, batch: Batch | undefined): void {
    const { rows = 0, cols = 0 } = batch?.leftOut ?? {};
    const leftOut = rows + cols > 0 ? this.texts.leftOut(rows, cols) : '';
    for (const conflict of verdict.conflicts) {
      this.conflicts.add(conflict);
      this.emit({ type: 'conflict', conflict });
    }
    this.blocks.replace(verdict.rows);
    if (kind === 'apply' && !verdict.stale) this.blocks.restart();
    else this.#showUndone(verdict);
    if (verdict.conflicts.length > 0) this.surface.announce(this.texts.conflicts(verdict.conflicts.length));
    else if (leftOut || verdict.cells > (kind === 'apply' ? 1 : 0)) this.surface.announce([this.texts.changedCells(verdict.cells), leftOut].filter(Boolean).join('; '));
    this.emit({ type: 'changed', cells: verdict.cells, kind, leftOut });
    this.invalidate();
  }

  #showUndone(verdict: Verdict): void {
    this.blocks.refresh();
    if (!verdict.spot) return;
    const col = this.columns.position(verdict.spot.column);
    // A response must not move the focus away from the page or close an open editor.
    if (col < 0 || document.activeElement?.closest('.ig-editor')) return;
    this.selection.to({ row: verdict.spot.row, col });
    this.view.reveal(this.selection.active);
    this.selectionChanged(this.surface.hasFocus);
  }

  #refused(fault: SourceFault): void {
    this.surface.announce(fault.message);
    this.emit({ type: 'refused', message: fault.message });
    this.invalidate();
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.blocks.close();
    this.outbox.close();
    this.surface.root.remove();
  }
}

function numbers(locale = 'en'): (n: number) => string {
  const format = new Intl.NumberFormat(locale);
  return (n) => format.format(n);
}
