import { createElement } from '../dom';
import type { Choice } from '../row-source';
import type { Texts } from '../texts';

const maxShown = 100;
let lists = 0;

/** A list of options that is filtered as the user types. */
export class Listbox {
  readonly element: HTMLElement;
  readonly id = `ig-list-${++lists}`;
  readonly #list: HTMLElement;
  readonly #note = createElement('p', 'ig-list-note', { role: 'status' });
  readonly #choices: readonly Choice[];
  readonly #texts: Texts;
  readonly #pick: (choice: Choice) => void;
  #shown: Choice[] = [];
  #at = 0;

  constructor(choices: readonly Choice[], texts: Texts, label: string, multiple: boolean, pick: (choice: Choice) => void) {
    this.#choices = choices;
    this.#texts = texts;
    this.#pick = pick;
    this.#list = createElement('div', 'ig-list', { role: 'listbox', id: this.id, 'aria-label': label, tabindex: '-1' });
    if (multiple) this.#list.setAttribute('aria-multiselectable', 'true');
    this.element = createElement('div', 'ig-float ig-list-box', {}, this.#list, this.#note);
    // Keeps the focus in the text field when an option is clicked.
    this.element.addEventListener('pointerdown', (event) => event.preventDefault());
    this.#list.addEventListener('click', (event) => this.#click(event.target as Element));
  }

  get current(): Choice | undefined {
    return this.#shown[this.#at];
  }

  get empty(): boolean {
    return this.#shown.length === 0;
  }

  /** ID of the highlighted element, for aria-activedescendant. */
  get marked(): string {
    return this.empty ? '' : `${this.id}-${this.#at}`;
  }

  /**
   * Shows the options that match the words. Highlights the option `on` if it is shown,
   * otherwise the first option.
   */
  show(words: string, chosen: ReadonlySet<string>, on?: string): void {
    const found = matchingChoices(this.#choices, words);
    this.#shown = found.slice(0, maxShown);
    const at = on === undefined ? 0 : this.#shown.findIndex((choice) => choice.text === on);
    this.#list.replaceChildren(...this.#shown.map((choice, index) => this.#option(choice, index, chosen)));
    this.#note.textContent = this.#remark(found.length);
    this.highlight(Math.max(0, at));
  }

  /** Highlights the option at an index. Limits the index to the shown options. */
  highlight(at: number): void {
    this.#list.children[this.#at]?.classList.remove('is-marked');
    this.#at = Math.max(0, Math.min(this.#shown.length - 1, at));
    const option = this.#list.children[this.#at];
    option?.classList.add('is-marked');
    option?.scrollIntoView({ block: 'nearest' });
  }

  step(by: number): void {
    this.highlight(this.#at + by);
  }

  /** Places the list below the anchor, or above it if there is not enough room below. */
  positionAt(anchor: HTMLElement): void {
    const box = anchor.getBoundingClientRect();
    const { style } = this.element;
    style.minWidth = `${Math.max(200, box.width)}px`;
    const height = this.element.offsetHeight;
    const below = box.bottom + 4 + height <= innerHeight || box.top < height;
    style.top = `${Math.round(below ? box.bottom + 4 : box.top - height - 4)}px`;
    style.left = `${Math.round(Math.max(8, Math.min(box.left, innerWidth - this.element.offsetWidth - 8)))}px`;
  }

  #option(choice: Choice, index: number, chosen: ReadonlySet<string>): HTMLElement {
    const label = createElement('span', 'ig-option-label', { dir: 'auto' }, choice.label ?? choice.text);
    const option = createElement('div', 'ig-option', { role: 'option', id: `${this.id}-${index}` }, label);
    if (choice.label && choice.label !== choice.text) option.append(createElement('code', 'ig-option-text', {}, choice.text));
    option.setAttribute('aria-selected', String(chosen.has(choice.text)));
    return option;
  }

  #remark(found: number): string {
    if (found === 0) return this.#texts.noChoice;
    return found > maxShown ? this.#texts.moreChoices(found - maxShown) : '';
  }

  #click(target: Element): void {
    const option = target.closest('.ig-option');
    const choice = option && this.#shown[[...this.#list.children].indexOf(option)];
    if (choice) this.#pick(choice);
  }
}

/**
 * Returns the options whose label, text or alternative name contains the words. Options
 * that begin with the words come first.
 */
export function matchingChoices(choices: readonly Choice[], words: string): Choice[] {
  const wanted = foldText(words.trim());
  if (!wanted) return [...choices];
  const begin: Choice[] = [];
  const hold: Choice[] = [];
  for (const choice of choices) {
    const texts = [choice.label ?? '', choice.text, choice.also ?? ''].map(foldText);
    if (texts.some((text) => text.startsWith(wanted))) begin.push(choice);
    else if (texts.some((text) => text.includes(wanted))) hold.push(choice);
  }
  return [...begin, ...hold];
}

/** Returns the text in lower case and without accents. */
function foldText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
