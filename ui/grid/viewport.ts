import type { Columns } from './columns';
import type { Room } from './config';
import { isRtl } from './dom';
import type { Place, Span } from './ranges';
import { ScrollScale } from './scroll-scale';
import type { Surface } from './surface';

/**
 * Number of rows drawn beyond the visible ones, because the browser may scroll before the
 * grid draws.
 */
const ahead = 5;
const behind = 2;

/** The visible part of the table, in pixels and in rows and columns. */
export class Viewport {
  readonly scale = new ScrollScale();
  readonly rowHeight: number;
  width = 0;
  height = 0;
  left = 0;
  /** Scroll direction: 1 down, -1 up. */
  direction = 1;
  rtl = false;
  /** Distance of the last scroll, in pixels. After a long one, extra rows would not be visible. */
  #moved = 0;
  #across = false;
  readonly #surface: Surface;
  readonly #columns: Columns;
  #rows = 0;
  /** The assumed size for the first paint, which makes measuring the element unnecessary. */
  #guess: Room | undefined;

  constructor(surface: Surface, columns: Columns, rowHeight: number, guess?: Room) {
    this.#surface = surface;
    this.#columns = columns;
    this.rowHeight = rowHeight;
    this.#guess = guess;
  }

  /** Measures the element for a table with this many rows. Reports whether any column moved. */
  measure(rows: number, lead: number): boolean {
    const { scroller, head, body } = this.#surface;
    const { width, height } = this.#guess ?? this.#room;
    const rearranged = this.#columns.fit(lead, Math.max(lead, width * 0.6));
    this.rtl = isRtl(scroller);
    this.width = width;
    const moved = rows !== this.#rows || height !== this.height;
    this.height = height;
    this.#rows = rows;
    const total = `${this.#columns.totalWidth}px`;
    head.style.inlineSize = total;
    body.style.inlineSize = total;
    if (moved) this.#resize();
    this.#guess = undefined;
    return rearranged;
  }

  /** Whether the size equals the last measured one. */
  get isMeasured(): boolean {
    const { width, height } = this.#room;
    return width === this.width && height === this.height;
  }

  get #room(): Room {
    const { scroller, head } = this.#surface;
    return { width: scroller.clientWidth, height: Math.max(0, scroller.clientHeight - head.offsetHeight) };
  }

  /** Handles a scroll event. */
  follow(): void {
    const { scroller } = this.#surface;
    const left = Math.abs(scroller.scrollLeft);
    this.#across ||= left !== this.left;
    this.left = left;
    const moved = this.scale.scrolled(scroller.scrollTop);
    this.#moved = Math.abs(moved);
    if (moved !== 0) this.direction = Math.sign(moved);
    if (this.scale.stuck) this.#settle(this.scale.rebase());
  }

  /** Corrects the position of the thumb. Called when scrolling has ended. */
  rest(): void {
    this.#moved = 0;
    this.#across = false;
    this.#settle(this.scale.rebase());
  }

  /** The rows to draw. */
  get rows(): Span {
    const far = this.#moved > this.height / 2;
    const up = far ? 1 : this.direction < 0 ? ahead : behind;
    const down = far ? 1 : this.direction < 0 ? behind : ahead;
    const first = Math.floor(this.scale.top / this.rowHeight) - up;
    const last = Math.ceil((this.scale.top + this.height) / this.rowHeight) - 1 + down;
    return { first: Math.max(0, first), last: Math.min(this.#rows - 1, last) };
  }

  /** The columns to draw in addition to the pinned ones. */
  get span(): Span {
    const columns = this.#columns;
    if (columns.count === 0) return { first: 0, last: -1 };
    const { first, last } = columns.visible(this.left, this.width);
    const spare = this.#across ? 1 : 0;
    return {
      first: Math.max(columns.pinnedCount, first - spare),
      last: Math.min(columns.count - 1, last + spare),
    };
  }

  get pageRows(): number {
    return Math.max(1, Math.floor(this.height / this.rowHeight) - 1);
  }

  /** Returns the distance from the start of the scrolled body to a row, in pixels. */
  topOf(row: number): number {
    return row * this.rowHeight + this.scale.shift;
  }

  /** Scrolls just enough to bring the whole cell into view, outside the pinned area. */
  reveal(place: Place): void {
    if (place.row >= 0) this.#revealRow(place.row);
    const columns = this.#columns;
    if (place.col < columns.pinnedCount || place.col >= columns.count) return;
    const start = columns.start(place.col) - columns.paneWidth;
    const end = columns.start(place.col) + columns.width(place.col) - this.width;
    if (start < this.left) this.#slide(start);
    else if (end > this.left) this.#slide(Math.min(start, end));
  }

  /** Scrolls a row to the middle of the view. */
  center(row: number): void {
    this.go(row * this.rowHeight - Math.max(0, this.height - this.rowHeight) / 2);
  }

  go(top: number): void {
    const before = this.scale.top;
    this.#settle(this.scale.place(top));
    if (this.scale.top !== before) this.direction = Math.sign(this.scale.top - before);
  }

  /** Returns the cell at a position in the window, or the nearest cell. */
  hit(x: number, y: number): Place {
    const box = this.#surface.scroller.getBoundingClientRect();
    const across = this.rtl ? box.right - x : x - box.left;
    const under = across < this.#columns.paneWidth ? across : across + this.left;
    const down = y - box.top - this.#surface.head.offsetHeight;
    const row = Math.floor((down + this.scale.top) / this.rowHeight);
    return { row: Math.max(0, Math.min(this.#rows - 1, row)), col: this.#columns.positionAt(under) };
  }

  #revealRow(row: number): void {
    const top = row * this.rowHeight;
    if (top < this.scale.top) this.go(top);
    else if (top + this.rowHeight > this.scale.top + this.height) this.go(top + this.rowHeight - this.height);
  }

  #resize(): void {
    const physical = this.scale.resize(this.#rows * this.rowHeight, this.height);
    this.#surface.body.style.blockSize = `${this.scale.height}px`;
    // Nothing has been scrolled before the first measurement.
    if (this.#guess) this.scale.settled(physical);
    else this.#settle(physical);
  }

  #slide(left: number): void {
    const { scroller } = this.#surface;
    scroller.scrollLeft = this.rtl ? -left : left;
    this.left = Math.abs(scroller.scrollLeft);
  }

  #settle(physical: number | null): void {
    if (physical === null) return;
    const { scroller } = this.#surface;
    if (scroller.scrollTop !== physical) scroller.scrollTop = physical;
    this.scale.settled(scroller.scrollTop);
  }
}
