import { setAttribute, createElement } from './dom';

/** The content of one cell, ready to be written to its elements. */
export interface CellDisplay {
  text: string;
  /** The value that the result will contain, shown after the text; "" if it looks like the text. */
  sent: string;
  classes: string;
  col: number;
  start: number;
  width: number;
  selected: boolean;
  active: boolean;
  invalid: boolean;
  readOnly: boolean;
  description: string;
}

/** The elements of one cell. Only what has changed is updated. */
export class CellView {
  readonly element = createElement('div', '', { role: 'gridcell', tabindex: '-1' });
  readonly #text = createElement('span', 'ig-text', { dir: 'auto' });
  #display: CellDisplay = {
    text: '', sent: '', classes: '', col: -1, start: -1, width: -1,
    selected: false, active: false, invalid: false, readOnly: false, description: '',
  };

  constructor() {
    this.element.append(this.#text);
  }

  show(next: CellDisplay): void {
    const was = this.#display;
    this.#display = next;
    const { element } = this;
    if (was.text !== next.text) this.#text.textContent = next.text;
    if (was.sent !== next.sent) setAttribute(this.#text, 'data-sent', next.sent || null);
    if (was.classes !== next.classes) element.className = next.classes;
    if (was.start !== next.start) element.style.insetInlineStart = `${next.start}px`;
    if (was.width !== next.width) element.style.inlineSize = `${next.width}px`;
    if (was.col !== next.col) element.setAttribute('aria-colindex', String(next.col + 2));
    if (was.selected !== next.selected) setAttribute(element, 'aria-selected', next.selected ? 'true' : null);
    if (was.active !== next.active) element.tabIndex = next.active ? 0 : -1;
    if (was.invalid !== next.invalid) setAttribute(element, 'aria-invalid', next.invalid ? 'true' : null);
    if (was.readOnly !== next.readOnly) setAttribute(element, 'aria-readonly', next.readOnly ? 'true' : null);
    if (was.description !== next.description) setAttribute(element, 'aria-description', next.description || null);
  }
}
