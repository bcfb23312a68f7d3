import type { MenuItem } from './config';
import type { Core } from './core';
import { createElement } from './dom';

interface Item extends MenuItem {
  /** Whether the menu stays open after a click. Used for items that are clicked repeatedly. */
  readonly stays?: boolean;
}

const stepWidth = 24;

/** The menu of one column. It offers the keyboard an alternative to dragging. */
export class Menu {
  readonly #core: Core;
  readonly #anchor: (col: number) => HTMLElement | undefined;
  readonly #fit: (col: number) => void;
  #open: { element: HTMLElement; col: number } | null = null;

  constructor(core: Core, anchor: (col: number) => HTMLElement | undefined, fit: (col: number) => void, signal: AbortSignal) {
    this.#core = core;
    this.#anchor = anchor;
    this.#fit = fit;
    document.addEventListener('pointerdown', (event) => this.#outside(event.target as Node), { signal });
  }

  open(col: number): void {
    this.close();
    this.#core.moveTo({ row: -1, col });
    const anchor = this.#anchor(col);
    if (!anchor) return;
    const label = `${this.#core.texts.menu.open}: ${this.#core.columns.at(col).label}`;
    const element = createElement('div', 'ig-float ig-menu', { role: 'menu', 'aria-label': label });
    element.append(...this.#items(col).map((item) => this.#button(item)));
    element.addEventListener('keydown', (event) => this.#key(event));
    element.addEventListener('focusout', (event) => {
      const to = event.relatedTarget as Node | null;
      if (to && !element.contains(to)) this.close();
    });
    this.#core.surface.root.append(element);
    this.#open = { element, col };
    this.#position(element, anchor);
    (element.firstElementChild as HTMLElement).focus();
  }

  close(): void {
    if (!this.#open) return;
    const { element } = this.#open;
    this.#open = null;
    const focused = element.contains(document.activeElement);
    element.remove();
    if (focused) this.#core.delegate.focus();
  }

  #items(col: number): Item[] {
    const { columns, texts, config } = this.#core;
    const pinned = columns.isPinned(col);
    const widen = (by: number) => () => this.#resize(col, columns.width(col) + by);
    return [
      ...(config.columnMenu?.(columns.at(col).key) ?? []),
      { label: pinned ? texts.menu.unpin : texts.menu.pin, act: () => this.#pin(col, !pinned) },
      { label: texts.menu.wider, stays: true, act: widen(stepWidth) },
      { label: texts.menu.narrower, stays: true, act: widen(-stepWidth) },
      { label: texts.menu.fit, act: () => this.#fit(col) },
      { label: texts.menu.select, act: () => this.#select(col) },
    ];
  }

  #button(item: Item): HTMLElement {
    const button = createElement('div', 'ig-menu-item', { role: 'menuitem', tabindex: '-1' }, item.label);
    button.addEventListener('click', () => {
      if (!item.stays) this.close();
      item.act();
    });
    return button;
  }

  #pin(col: number, on: boolean): void {
    const { key } = this.#core.columns.at(col);
    this.#core.columns.pin(col, on);
    this.#core.moveTo({ row: -1, col: this.#core.columns.position(key) });
  }

  #resize(col: number, width: number): void {
    const { columns, texts } = this.#core;
    columns.resize(col, width);
    this.#core.invalidate();
    this.#core.surface.announce(texts.width(columns.at(col).label, columns.width(col)));
  }

  #select(col: number): void {
    this.#core.selection.columns(col, col);
    this.#core.selectionChanged();
  }

  #key(event: KeyboardEvent): void {
    event.stopPropagation();
    const items = [...this.#open!.element.children] as HTMLElement[];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 };
    const step = to[event.key];
    if (step !== undefined) items[step % items.length]!.focus();
    else if (event.key === 'Enter' || event.key === ' ') items[at]?.click();
    else if (event.key === 'Escape' || event.key === 'Tab') this.close();
    else return;
    event.preventDefault();
  }

  #outside(target: Node): void {
    if (this.#open && !this.#open.element.contains(target)) this.close();
  }

  #position(element: HTMLElement, anchor: HTMLElement): void {
    const box = anchor.getBoundingClientRect();
    const from = this.#core.view.rtl ? box.left : box.right - element.offsetWidth;
    const left = Math.max(8, Math.min(from, innerWidth - element.offsetWidth - 8));
    element.style.left = `${Math.round(left)}px`;
    element.style.top = `${Math.round(Math.min(box.bottom + 2, innerHeight - element.offsetHeight - 8))}px`;
  }
}
