import { Blocks } from './blocks';
import { Columns } from './columns';
import { Conflicts } from './conflicts';
import type { GridConfig, GridEvent } from './config';
import { cellAt } from './face';
import { named } from './named';
import { Outbox, newId, type Deal } from './outbox';
import type { Batch, Column, Deed, Row, RowWindow, SourceFault, Spot, Verdict } from './port';
import type { Place, Range } from './ranges';
import { Selection } from './selection';
import { Surface } from './surface';
import { english, type Texts } from './texts';
import { Viewport } from './viewport';

/** What Core needs of those that draw and ask; they come after it. */
export interface Crew {
  paint(): void;
  /** Gives the keyboard focus to the active cell. */
  focus(): void;
  loaded(): void;
  failed(fault: SourceFault): void;
  saving(state: 'saved' | 'saving' | 'waiting', pending: number): void;
}

/** The parts of one grid and what all of them do: move, change, repaint. */
export class Core {
  readonly columns: Columns;
  readonly blocks: Blocks;
  readonly outbox: Outbox;
  readonly selection = new Selection();
  readonly conflicts = new Conflicts();
  readonly surface: Surface;
  readonly view: Viewport;
  readonly texts: Texts;
  readonly config: GridConfig;
  crew!: Crew;
  /** The largest number of a row that was shown: filtered rows keep theirs. */
  largest = 0;
  /** Grows with everything that changes how rows look but the rows themselves. */
  stamp = 0;
  readonly #number: (n: number) => string;
  #frame = 0;

  constructor(host: HTMLElement, config: GridConfig) {
    this.config = config;
    this.texts = config.texts ?? english(config.locale);
    this.#number = config.number ?? numbers(config.locale);
    this.columns = new Columns(config.columns);
    this.surface = new Surface(host, config.label);
    this.view = new Viewport(this.surface, this.columns, config.rowHeight ?? 32, config.room);
    this.blocks = new Blocks(config.source, {
      loaded: (window) => {
        this.#count(window);
        this.crew.loaded();
      },
      failed: (fault) => this.crew.failed(fault),
    });
    this.outbox = new Outbox(config.source, {
      done: (verdict, kind, batch) => this.#done(verdict, kind, batch),
      refused: (fault) => this.#refused(fault),
      saving: (state, pending) => this.crew.saving(state, pending),
    });
  }

  /** Takes the first rows of the view before anything is drawn. */
  open(window: RowWindow): void {
    this.#count(window);
    this.blocks.open(window);
  }

  #count({ total, rows }: RowWindow): void {
    this.largest = Math.max(this.largest, total, rows.at(-1)?.number ?? 0);
  }

  figure(n: number): string {
    return this.#number(n);
  }

  emit(event: GridEvent): void {
    this.config.listen?.(event);
  }

  /** Tells it to all who listen and to who cannot see. */
  notice(message: string): void {
    this.surface.say(message);
    this.emit({ type: 'notice', message });
  }

  /** What a text of the column is shown as: a choice by its label. */
  named(column: Column, text: string): string {
    return named(column, text);
  }

  /** Draws again with the next frame. */
  touch(): void {
    this.stamp++;
    this.later();
  }

  /** The same where nothing changed but which rows there are. */
  later(): void {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.paint());
  }

  paint(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.crew.paint();
  }

  /** Makes a cell the active one, or the other corner of the range, and shows it. */
  moveTo(place: Place, extend = false): void {
    if (extend) this.selection.extend(place);
    else this.selection.to(place);
    this.view.reveal(extend ? this.selection.corner : this.selection.active);
    this.selected();
  }

  /** Says and draws that something else is selected. */
  selected(focus = true): void {
    this.stamp++;
    this.paint();
    if (focus) this.crew.focus();
    const range = this.selection.range;
    if (range && (range.top !== range.bottom || range.left !== range.right)) {
      this.surface.say(this.texts.selected(range.bottom - range.top + 1, range.right - range.left + 1));
    }
    this.emit({ type: 'selection', range, active: this.selection.active });
  }

  /** The row of an index and what its cell shows, or undefined where it is not loaded. */
  cell(place: Place): (ReturnType<typeof cellAt> & { row: Row }) | undefined {
    const row = this.blocks.row(place.row);
    return row && { ...cellAt(this, row, place.row, place.col), row };
  }

  /** Where the place is among the rows and columns of the source. */
  spot(place: Place): Spot {
    return { row: Math.max(0, place.row), column: this.columns.at(place.col).key };
  }

  keys(range: Range): string[] {
    const keys: string[] = [];
    for (let col = range.left; col <= range.right; col++) keys.push(this.columns.at(col).key);
    return keys;
  }

  /**
   * Changes a range; texts repeat over it. Columns that are read only are left
   * out, with the texts that were meant for them. `before` is its first row as the
   * person saw it, where that is not as it is now. `leftOut` is told once it is done.
   */
  change(range: Range, texts: readonly (readonly string[])[], deed: Deed, before?: Row, leftOut?: Batch['leftOut']): void {
    const all = this.keys(range);
    const open = all.map((_, at) => at).filter((at) => !this.columns.at(range.left + at).readOnly);
    if (open.length < all.length) this.surface.say(this.texts.readOnly(this.columns.at(range.left).label));
    if (open.length === 0) return;
    const whole = open.length === all.length;
    const fitted = whole ? texts : texts.map((line) => open.map((at) => line[at % line.length]!));
    const columns = open.map((at) => all[at]!);
    const versions: Record<string, number> = {};
    const seen = new Map(this.blocks.within(range.top, range.bottom + 1));
    if (before) seen.set(range.top, before);
    for (const row of seen.values()) {
      versions[row.id] = row.version;
      for (const column of columns) this.conflicts.settle(row.id, column);
    }
    this.outbox.apply({
      id: newId(),
      deed,
      area: { fromRow: range.top, toRow: range.bottom + 1, columns },
      revision: this.blocks.revision,
      total: this.blocks.total,
      texts: fitted,
      versions,
      seen,
      ...(leftOut && { leftOut }),
    });
    this.touch();
  }

  #done(verdict: Verdict, kind: Deal, batch: Batch | undefined): void {
    const { rows = 0, cols = 0 } = batch?.leftOut ?? {};
    const leftOut = rows + cols > 0 ? this.texts.leftOut(rows, cols) : '';
    for (const conflict of verdict.conflicts) {
      this.conflicts.add(conflict);
      this.emit({ type: 'conflict', conflict });
    }
    this.blocks.put(verdict.rows);
    if (kind === 'apply' && !verdict.stale) this.blocks.restart();
    else this.#stepped(verdict);
    if (verdict.conflicts.length > 0) this.surface.say(this.texts.conflicts(verdict.conflicts.length));
    else if (leftOut || verdict.cells > (kind === 'apply' ? 1 : 0)) this.surface.say([this.texts.changedCells(verdict.cells), leftOut].filter(Boolean).join('; '));
    this.emit({ type: 'changed', cells: verdict.cells, kind, leftOut });
    this.touch();
  }

  #stepped(verdict: Verdict): void {
    this.blocks.refresh();
    if (!verdict.spot) return;
    const col = this.columns.position(verdict.spot.column);
    // An answer must take neither the focus from the page nor an edit from a person.
    if (col < 0 || document.activeElement?.closest('.ig-editor')) return;
    this.selection.to({ row: verdict.spot.row, col });
    this.view.reveal(this.selection.active);
    this.selected(this.surface.hasFocus);
  }

  #refused(fault: SourceFault): void {
    this.surface.say(fault.message);
    this.emit({ type: 'refused', message: fault.message });
    this.touch();
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
