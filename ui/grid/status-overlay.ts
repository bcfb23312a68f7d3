import type { Core } from './core';
import { createElement } from './dom';
import type { SourceFault } from './row-source';

const firstWait = 1000;
const longestWait = 15_000;
const patience = 300;

/** Shows that the grid is loading, empty, offline or failed, and what the user can do. */
export class StatusOverlay {
  readonly #core: Core;
  readonly #sign = createElement('div', 'ig-sign', { role: 'group' });
  #reading: SourceFault | null = null;
  #waiting = 0;
  #known = false;
  #wait = firstWait;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #said = '';

  constructor(core: Core, signal: AbortSignal) {
    this.#core = core;
    addEventListener('online', () => this.retry(), { signal });
    const first = setTimeout(() => this.#draw(), patience);
    signal.addEventListener('abort', () => {
      clearTimeout(first);
      clearTimeout(this.#timer);
    });
  }

  /** Called when rows have been loaded. */
  loaded(): void {
    this.#known = true;
    this.#reading = null;
    this.#wait = firstWait;
    this.#stop();
    this.#draw();
  }

  /** Called when loading failed. The grid retries if the connection is lost. */
  failed(fault: SourceFault): void {
    this.#reading = fault;
    // Use one timer for all failures, because each would double the delay otherwise.
    if (fault.kind === 'lost') this.#timer ??= setTimeout(() => this.#again(), this.#wait);
    this.#draw();
  }

  #again(): void {
    this.#timer = undefined;
    this.#wait = Math.min(longestWait, this.#wait * 2);
    this.#core.blocks.retry();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Sets the number of changes that wait for the connection. */
  saving(waiting: number): void {
    const came = this.#waiting > 0 && waiting === 0;
    this.#waiting = waiting;
    if (came && this.#reading?.kind === 'lost') this.#core.blocks.retry();
    this.#draw();
  }

  retry(): void {
    this.#wait = firstWait;
    this.#stop();
    this.#core.blocks.retry();
    this.#core.outbox.retry();
  }

  #draw(): void {
    const { texts, blocks } = this.#core;
    const whole = !this.#known || blocks.total === 0;
    const lost = this.#reading?.kind === 'lost' || this.#waiting > 0;
    this.#core.surface.scroller.classList.toggle('is-bare', whole && (this.#known || this.#reading !== null));
    if (lost) this.#show('lost', whole, texts.lost, this.#waiting ? texts.waiting(this.#waiting) : texts.lostHint, true);
    else if (this.#reading) this.#show('failed', whole, texts.failed, this.#reading.message, true);
    else if (!this.#known) this.#show('loading', true, texts.loading, '', false);
    else if (blocks.total === 0) this.#show('empty', true, texts.empty, texts.emptyHint, false);
    else this.#hide();
  }

  #show(kind: string, whole: boolean, title: string, text: string, again: boolean): void {
    const said = `${kind}\n${whole}\n${title}\n${text}`;
    if (said === this.#said) return;
    this.#said = said;
    this.#sign.className = `ig-sign is-${kind} ${whole ? 'is-whole' : 'is-strip'}`;
    this.#sign.replaceChildren(createElement('p', 'ig-sign-title', {}, title));
    if (text) this.#sign.append(createElement('p', 'ig-sign-text', {}, text));
    if (again) {
      const button = createElement('button', 'ig-button', { type: 'button' }, this.#core.texts.retry);
      button.addEventListener('click', () => this.retry());
      this.#sign.append(button);
    }
    this.#sign.setAttribute('aria-label', title);
    this.#core.surface.root.append(this.#sign);
    this.#core.surface.announce(`${title} ${text}`);
  }

  #hide(): void {
    this.#said = '';
    this.#sign.remove();
  }
}
