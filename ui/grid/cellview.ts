import { attribute, make } from './dom';

/** What one cell shows, ready to be put into elements. */
export interface CellFace {
  text: string;
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

/** The elements of one cell; writes to the page only what differs. */
export class CellView {
  readonly element = make('div', '', { role: 'gridcell', tabindex: '-1' });
  readonly #text = make('span', 'ig-text', { dir: 'auto' });
  #face: CellFace = {
    text: '', classes: '', col: -1, start: -1, width: -1,
    selected: false, active: false, invalid: false, readOnly: false, description: '',
  };

  constructor() {
    this.element.append(this.#text);
  }

  get col(): number {
    return this.#face.col;
  }

  show(face: CellFace): void {
    const was = this.#face;
    this.#face = face;
    const { element } = this;
    if (was.text !== face.text) this.#text.textContent = face.text;
    if (was.classes !== face.classes) element.className = face.classes;
    if (was.start !== face.start) element.style.insetInlineStart = `${face.start}px`;
    if (was.width !== face.width) element.style.inlineSize = `${face.width}px`;
    if (was.col !== face.col) element.setAttribute('aria-colindex', String(face.col + 2));
    if (was.selected !== face.selected) attribute(element, 'aria-selected', face.selected ? 'true' : null);
    if (was.active !== face.active) element.tabIndex = face.active ? 0 : -1;
    if (was.invalid !== face.invalid) attribute(element, 'aria-invalid', face.invalid ? 'true' : null);
    if (was.readOnly !== face.readOnly) attribute(element, 'aria-readonly', face.readOnly ? 'true' : null);
    if (was.description !== face.description) attribute(element, 'aria-description', face.description || null);
  }
}
