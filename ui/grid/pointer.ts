import type { Core } from './core';
import { dragArea, fillPattern } from './fill';
import type { Renderer } from './renderer';
import { contains, type Place, type Range } from './ranges';

export interface PointerActions {
  edit(): void;
  /** Ends the open edit and saves its text. */
  commit(): void;
  openMenu(col: number): void;
  toggle(place: Place): boolean;
  fit(col: number): void;
  read(range: Range): string[][] | null;
}

type Drag = (x: number, y: number) => void;

const boxWidth = 20;

/** Handles mouse, pen and touch input: selecting, filling and resizing. */
export class Pointer {
  readonly #core: Core;
  readonly #renderer: Renderer;
  readonly #actions: PointerActions;
  #drag: Drag | null = null;
  #drop: (() => void) | null = null;
  #at = { x: 0, y: 0 };
  #timer = 0;

  constructor(core: Core, renderer: Renderer, actions: PointerActions, signal: AbortSignal) {
    this.#core = core;
    this.#renderer = renderer;
    this.#actions = actions;
    const { scroller } = core.surface;
    scroller.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    scroller.addEventListener('dblclick', (event) => this.#double(event), { signal });
    scroller.addEventListener('click', (event) => this.#click(event), { signal });
    if (core.config.hasMenu) scroller.addEventListener('contextmenu', (event) => this.#menu(event), { signal });
    // Listen on the document, because pointer capture would redirect click events.
    document.addEventListener('pointermove', (event) => this.#move(event), { signal });
    document.addEventListener('pointerup', () => this.#up(true), { signal });
    document.addEventListener('pointercancel', () => this.#up(false), { signal });
  }

  #down(event: PointerEvent): void {
    const target = event.target as Element;
    if (target.closest('.ig-editor')) return;
    this.#actions.commit();
    if (event.button !== 0 || target.closest('.ig-menu-button')) return;
    if (target.matches('.ig-grip')) this.#resize(event, target);
    else if (target.matches('.ig-handle')) this.#start(event, this.#filling());
    else if (event.pointerType !== 'touch') this.#select(event, target);
  }

  /**
   * Handles clicks and taps. Touching the table scrolls it, so only the click after a tap
   * selects.
   */
  #click(event: MouseEvent): void {
    const target = event.target as Element;
    const menu = target.closest('.ig-menu-button');
    const col = this.#renderer.head.colOf(target);
    if (menu && col !== null) this.#actions.openMenu(col);
    else if ((event as PointerEvent).pointerType === 'touch') this.#tap(event, target);
    else if (target.closest('.ig-cell.is-checkbox') && !event.shiftKey && this.#onBox(event, target)) this.#actions.toggle(this.#core.view.hit(event.clientX, event.clientY));
  }

  /**
   * Opens the context menu: for the clicked cell with the right mouse button, or for the
   * selection with the keyboard.
   */
  #menu(event: MouseEvent): void {
    const target = event.target as Element;
    if (target.closest('.ig-editor, .ig-head')) return;
    event.preventDefault();
    const { range } = this.#core.selection;
    const box = this.#renderer.element(this.#core.selection.active)?.getBoundingClientRect();
    if (event.button !== 2 && box) return this.#core.emit({ type: 'menu', x: box.left + 8, y: box.bottom });
    const place = this.#core.view.hit(event.clientX, event.clientY);
    if (!target.closest('.ig-cell')) this.#whole(target, place, false);
    else if (!range || !contains(range, place.row, place.col)) this.#core.moveTo(place);
    this.#core.emit({ type: 'menu', x: event.clientX, y: event.clientY });
  }

  #tap(event: MouseEvent, target: Element): void {
    const place = this.#core.view.hit(event.clientX, event.clientY);
    const { active } = this.#core.selection;
    if (!target.closest('.ig-cell')) return this.#whole(target, place, false);
    if (active.row === place.row && active.col === place.col) this.#actions.edit();
    else this.#core.moveTo(place);
  }

  /** Reports whether a click hit the checkbox itself. Clicks next to it select the cell. */
  #onBox(event: MouseEvent, target: Element): boolean {
    if (!target.matches('.is-checkbox .ig-text')) return false;
    const box = target.getBoundingClientRect();
    return (this.#core.view.rtl ? box.right - event.clientX : event.clientX - box.left) <= boxWidth;
  }

  #double(event: MouseEvent): void {
    const target = event.target as Element;
    if (target.closest('.ig-editor') || this.#onBox(event, target)) return;
    const col = this.#renderer.head.colOf(target);
    if (target.matches('.ig-grip') && col !== null) this.#actions.fit(col);
    else if (target.closest('.ig-cell')) this.#actions.edit();
  }

  #select(event: PointerEvent, target: Element): void {
    const place = this.#core.view.hit(event.clientX, event.clientY);
    if (!target.closest('.ig-cell')) {
      this.#whole(target, place, event.shiftKey);
      if (target.closest('.ig-number, .ig-head-cell')) this.#start(event, this.#extending());
      return;
    }
    event.preventDefault();
    this.#core.moveTo(place, event.shiftKey);
    this.#start(event, this.#extending());
  }

  /** Selects a row, a column or the whole table when its header is pressed. */
  #whole(target: Element, place: Place, extend: boolean): void {
    const { selection } = this.#core;
    const col = this.#renderer.head.colOf(target);
    if (this.#renderer.head.isCorner(target)) selection.all();
    else if (col !== null) selection.columns(extend && selection.mode === 'columns' ? selection.active.col : col, col);
    else if (target.closest('.ig-number')) selection.rows(extend ? selection.active.row : place.row, place.row);
    else return;
    this.#core.selectionChanged();
  }

  #extending(): Drag {
    return (x, y) => {
      const place = this.#core.view.hit(x, y);
      const { corner, mode } = this.#core.selection;
      const to = mode === 'rows' ? { ...place, col: corner.col } : mode === 'columns' ? { ...place, row: corner.row } : place;
      if (to.row !== corner.row || to.col !== corner.col) this.#core.moveTo(to, true);
    };
  }

  #filling(): Drag {
    const from = this.#core.selection.range;
    let area: Range | null = null;
    this.#drop = () => {
      const texts = from && area && this.#actions.read(from);
      if (from && area && texts) this.#core.change(area, fillPattern(texts, from, area).texts, 'fill');
    };
    return (x, y) => {
      const place = this.#core.view.hit(x, y);
      area = from && dragArea(from, place.row, place.col);
      const { selection } = this.#core;
      if (!from) return;
      // Show the resulting range: the selection and the cells to fill.
      selection.to({ row: Math.min(from.top, area?.top ?? from.top), col: Math.min(from.left, area?.left ?? from.left) });
      selection.extend({ row: Math.max(from.bottom, area?.bottom ?? 0), col: Math.max(from.right, area?.right ?? 0) });
      this.#core.invalidate();
    };
  }

  #resize(event: PointerEvent, target: Element): void {
    const col = this.#renderer.head.colOf(target);
    if (col === null) return;
    const { columns, view } = this.#core;
    const width = columns.width(col);
    const from = event.clientX;
    this.#start(event, (x) => {
      columns.resize(col, width + (view.rtl ? from - x : x - from));
      this.#core.invalidate();
    });
  }

  #start(event: PointerEvent, drag: Drag): void {
    event.preventDefault();
    this.#drag = drag;
    this.#at = { x: event.clientX, y: event.clientY };
  }

  #move(event: PointerEvent): void {
    if (!this.#drag) return;
    this.#at = { x: event.clientX, y: event.clientY };
    this.#drag(event.clientX, event.clientY);
    if (!this.#timer) this.#timer = requestAnimationFrame(() => this.#pull());
  }

  /** Scrolls while the pointer is outside the grid. The speed increases with the distance. */
  #pull(): void {
    this.#timer = 0;
    if (!this.#drag) return;
    const { scroller, head } = this.#core.surface;
    const box = scroller.getBoundingClientRect();
    const down = beyond(this.#at.y, box.top + head.offsetHeight, box.bottom);
    const right = beyond(this.#at.x, box.left, box.right);
    if (down === 0 && right === 0) return;
    scroller.scrollBy(right / 4, Math.max(-64, Math.min(64, down / 2)));
    this.#drag(this.#at.x, this.#at.y);
    this.#timer = requestAnimationFrame(() => this.#pull());
  }

  #up(done: boolean): void {
    const drop = this.#drop;
    this.#drag = null;
    this.#drop = null;
    if (done) drop?.();
  }
}

function beyond(at: number, low: number, high: number): number {
  return at < low ? at - low : Math.max(0, at - high);
}
