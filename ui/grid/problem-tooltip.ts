import type { Core } from './core';
import { displayText } from './display-text';
import { createElement } from './dom';
import type { Place } from './ranges';
import { visibleText } from './visible-text';

const gap = 6;

/**
 * Shows the problems of the edited, hovered or active cell next to it, where it covers as few
 * other cells with problems as possible. Screen readers get the same text from the cell itself.
 */
export class ProblemTooltip {
  readonly #core: Core;
  readonly #element: (place: Place) => HTMLElement | undefined;
  readonly #tip = createElement('div', 'ig-float ig-note', { 'aria-hidden': 'true' });
  readonly #editor: () => HTMLElement | undefined;
  #dismissed = '';
  #said = '';
  #hover: Place | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** editor returns the open editor of the active cell, if there is one. */
  constructor(core: Core, element: (place: Place) => HTMLElement | undefined, editor: () => HTMLElement | undefined, signal: AbortSignal) {
    this.#core = core;
    this.#editor = editor;
    this.#element = element;
    const { scroller } = core.surface;
    scroller.addEventListener('pointerover', (event) => this.#over(event), { signal });
    scroller.addEventListener('pointerleave', (event) => this.#leave(event), { signal });
    this.#tip.addEventListener('pointerleave', () => this.#setHover(null), { signal });
    this.#tip.addEventListener('pointerdown', (event) => this.#passPress(event), { signal });
    this.#tip.addEventListener('wheel', ({ deltaX, deltaY }) => scroller.scrollBy(deltaX, deltaY), { signal, passive: true });
    // A mouse that rests on a cell must not hide the messages of cells that the keyboard reaches.
    scroller.addEventListener('keydown', () => this.#forgetHover(), { signal, capture: true });
    for (const type of ['focusin', 'input']) document.addEventListener(type, () => this.show(), { signal });
  }

  /** Hides the tooltip until a different cell is active. Reports whether it was visible. */
  dismiss(): boolean {
    if (!this.#tip.isConnected) return false;
    this.#hover = null;
    this.#dismissed = this.#name(this.#core.selection.active);
    this.#tip.remove();
    return true;
  }

  /** Shows, moves or hides the tooltip for the current cell. */
  show(): void {
    const editor = this.#editor();
    const place = this.#covered() ? null : editor ? this.#core.selection.active : (this.#hover ?? this.#active());
    const lines = place && this.#name(place) !== this.#dismissed ? this.#lines(place) : [];
    const anchor = lines.length > 0 && place ? (editor ?? this.#element(place)) : undefined;
    if (!anchor || !this.#inView(anchor)) {
      this.#tip.remove();
      return;
    }
    this.#fill(lines);
    if (!this.#tip.isConnected) this.#core.surface.root.append(this.#tip);
    this.#position(anchor);
  }

  /** Reports whether a floating element, such as a menu, has the focus. */
  #covered(): boolean {
    return document.activeElement?.closest('[popover]') != null;
  }

  #active(): Place | null {
    const { active } = this.#core.selection;
    if (this.#name(active) !== this.#dismissed) this.#dismissed = '';
    return active.row >= 0 && this.#core.surface.hasFocus ? active : null;
  }

  #lines(place: Place): { level: string; text: string }[] {
    const cell = this.#core.cell(place);
    if (!cell || cell.pending) return [];
    const column = this.#core.columns.at(place.col);
    const mine = this.#core.conflicts.get(cell.row.id, column.key);
    const named = (text: string) => visibleText(displayText(column, text));
    const lines: { level: string; text: string }[] = [...cell.problems, ...(cell.row.problems ?? [])].map((problem) => ({ level: problem.level, text: problem.message }));
    if (mine !== undefined) lines.unshift({ level: 'warning', text: this.#core.texts.conflict(named(mine), named(cell.text)) });
    return lines;
  }

  #fill(lines: { level: string; text: string }[]): void {
    const said = JSON.stringify(lines);
    if (said === this.#said) return;
    this.#said = said;
    this.#tip.replaceChildren(
      ...lines.map((line) => createElement('p', `has-${line.level}`, {}, createElement('span', '', { dir: 'auto' }, line.text))),
    );
  }

  /** Passes a press on the tooltip to the cell under it, because the tooltip only shows text. */
  #passPress(event: PointerEvent): void {
    this.dismiss();
    const below = document.elementFromPoint(event.clientX, event.clientY);
    if (event.pointerType === 'touch' || !below || !this.#core.surface.scroller.contains(below)) return;
    event.preventDefault();
    below.dispatchEvent(new PointerEvent(event.type, event));
  }

  #over(event: PointerEvent): void {
    if (event.pointerType !== 'mouse' || event.buttons) return;
    const cell = (event.target as Element).closest('.ig-cell, .ig-body .ig-number');
    const place = cell ? this.#core.view.hit(event.clientX, event.clientY) : null;
    const hovered = place && this.#lines(place).length > 0 ? place : null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#setHover(hovered), hovered ? 250 : 100);
  }

  #leave(event: PointerEvent): void {
    clearTimeout(this.#timer);
    if (!this.#tip.contains(event.relatedTarget as Node | null)) this.#setHover(null);
  }

  #forgetHover(): void {
    clearTimeout(this.#timer);
    this.#hover = null;
  }

  #setHover(place: Place | null): void {
    if (place === null && this.#tip.matches(':hover')) return;
    this.#hover = place;
    this.show();
  }

  #name(place: Place): string {
    return `${place.row} ${place.col}`;
  }

  #inView(anchor: HTMLElement): boolean {
    const box = anchor.getBoundingClientRect();
    const frame = this.#core.surface.scroller.getBoundingClientRect();
    const head = this.#core.surface.head.offsetHeight;
    return box.bottom > frame.top + head && box.top < frame.bottom && box.right > frame.left && box.left < frame.right;
  }

  #position(anchor: HTMLElement): void {
    const { surface: { scroller, head, root }, view: { rtl } } = this.#core;
    const { style, offsetHeight: height, offsetWidth: width } = this.#tip;
    const box = anchor.getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    const right = Math.min(innerWidth, frame.right) - width;
    const bottom = Math.min(innerHeight, frame.bottom) - height;
    const start = Math.max(8, frame.left + 8, Math.min(rtl ? box.right - width : box.left, right - 8));
    // The tooltip may cover the header if it fits nowhere else.
    const above = [start, box.top - height - gap] as const;
    const top = frame.top + head.offsetHeight;
    // Next to the cell, extend upward, because lists of options open downward.
    const beside = Math.max(top, box.bottom - height);
    const sides = [[box.right + gap, beside], [box.left - width - gap, beside]] as const;
    const around = [[start, box.bottom + gap] as const, above, sides[rtl ? 1 : 0]!, sides[rtl ? 0 : 1]!]
      .filter(([x, y]) => x >= frame.left && x <= right && y >= top && y <= bottom);
    const others = [...root.querySelectorAll('.ig-cell:is(.has-error, .has-warning), .ig-list-box')]
      .filter((one) => !one.contains(anchor)).map((one) => one.getBoundingClientRect());
    const overlap = (from: number, length: number, low: number, high: number) => Math.max(0, Math.min(from + length, high) - Math.max(from, low));
    const covered = ([x, y]: typeof above) => others.reduce((sum, one) => sum + overlap(x, width, one.left, one.right) * overlap(y, height, one.top, one.bottom), 0);
    const [x, y] = around.reduce((best, one) => (covered(one) < covered(best) ? one : best), around[0] ?? above);
    style.left = `${Math.round(x)}px`;
    style.top = `${Math.round(y)}px`;
  }
}
