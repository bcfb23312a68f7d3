import { createElement } from './dom';

/** The elements that are there from the beginning. */
export class Surface {
  readonly root: HTMLElement;
  readonly scroller: HTMLElement;
  readonly head: HTMLElement;
  readonly body: HTMLElement;
  readonly #live = createElement('div', 'ig-live', { role: 'status', 'aria-live': 'polite' });
  #said = 0;

  constructor(host: HTMLElement, label: string) {
    this.head = createElement('div', 'ig-head', { role: 'rowgroup' });
    this.body = createElement('div', 'ig-body', { role: 'rowgroup' });
    this.scroller = createElement(
      'div', 'ig-scroller',
      { role: 'grid', 'aria-label': label, 'aria-multiselectable': 'true', tabindex: '-1' },
      this.head, this.body,
    );
    this.root = createElement('div', 'ig', {}, this.scroller, this.#live);
    host.append(this.root);
  }

  /** Says a sentence to who cannot see what changed. */
  announce(sentence: string): void {
    if (!sentence) return;
    // The same text twice in a row would not be read out again.
    this.#live.textContent = this.#said++ % 2 ? `${sentence}\u00a0` : sentence;
  }

  get hasFocus(): boolean {
    return this.scroller.contains(document.activeElement);
  }
}
