import { createElement } from './dom';

/** The permanent elements of a grid. */
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

  /** Announces a sentence to screen readers. */
  announce(sentence: string): void {
    if (!sentence) return;
    // Screen readers do not announce unchanged text again.
    this.#live.textContent = this.#said++ % 2 ? `${sentence}\u00a0` : sentence;
  }

  get hasFocus(): boolean {
    return this.scroller.contains(document.activeElement);
  }
}
