import { between, clip, type Place, type Range } from './ranges';

export type Mode = 'cells' | 'rows' | 'columns' | 'all';

/**
 * The selection: the active cell, where typing starts, and the opposite corner of the
 * range. It knows the size of the table but does not depend on pixels.
 */
export class Selection {
  active: Place = { row: 0, col: 0 };
  corner: Place = { row: 0, col: 0 };
  mode: Mode = 'cells';
  #rows = 0;
  #cols = 0;

  resize(rows: number, cols: number): void {
    this.#rows = rows;
    this.#cols = cols;
    this.active = this.#clamp(this.active);
    this.corner = this.#clamp(this.corner);
  }

  get size(): { rows: number; cols: number } {
    return { rows: this.#rows, cols: this.#cols };
  }

  /** The selected range; null while the header is active or there are no rows. */
  get range(): Range | null {
    const { rows, cols } = this.size;
    const whole: Range = { top: 0, bottom: rows - 1, left: 0, right: cols - 1 };
    if (this.mode === 'all') return clip(whole, rows, cols);
    const box = between(this.active, this.corner);
    if (this.mode === 'columns') return clip({ ...whole, left: box.left, right: box.right }, rows, cols);
    if (this.active.row < 0) return null;
    if (this.mode === 'rows') return clip({ ...whole, top: box.top, bottom: box.bottom }, rows, cols);
    return clip(box, rows, cols);
  }

  to(place: Place): void {
    this.active = this.#clamp(place);
    this.corner = this.active;
    this.mode = 'cells';
  }

  extend(place: Place): void {
    const corner = this.#clamp(place);
    if (this.active.row < 0 && this.mode === 'cells') return this.to(corner);
    this.corner = this.mode === 'columns' ? corner : { ...corner, row: Math.max(0, corner.row) };
    if (this.mode === 'all') this.mode = 'cells';
  }

  rows(from: number, to: number, col = this.active.col): void {
    this.active = this.#clamp({ row: Math.max(0, from), col });
    this.corner = this.#clamp({ row: Math.max(0, to), col });
    this.mode = 'rows';
  }

  columns(from: number, to: number, row = Math.max(0, this.active.row)): void {
    this.active = this.#clamp({ row, col: from });
    this.corner = this.#clamp({ row, col: to });
    this.mode = 'columns';
  }

  all(): void {
    if (this.active.row < 0) this.active = this.#clamp({ row: 0, col: this.active.col });
    this.corner = this.active;
    this.mode = 'all';
  }

  #clamp(place: Place): Place {
    return {
      row: Math.max(-1, Math.min(Math.max(0, this.#rows - 1), place.row)),
      col: Math.max(0, Math.min(this.#cols - 1, place.col)),
    };
  }
}
