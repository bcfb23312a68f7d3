/** Pixels at each end in which the scrollbar moves as the content does. */
const margin = 40_000;

/**
 * Maps a scrollbar of bounded length onto content of any length.
 *
 * Browsers cap the height of an element (Chromium 33,554,432 px, others less)
 * and place things beyond 2^23 px unsharply, so the scrolled element is at most
 * `cap` high. A small step moves the content pixel by pixel, so that a wheel's
 * tick is the same distance in ten rows and in ten million; a step as long as
 * one pixel of the thumb's way can only be a drag of the thumb or a program,
 * and counts in proportion. What small steps make the thumb drift is put right
 * by rebase once scrolling has ended. Both ends have a margin without any
 * scaling: else the last pixels could not be scrolled to.
 */
export class ScrollScale {
  readonly #cap: number;
  #content = 0;
  #page = 0;
  #top = 0;
  #physical = 0;

  constructor(cap = 8_000_000) {
    this.#cap = cap;
  }

  /** Height of the scrolled element. */
  get height(): number {
    return Math.min(this.#content, this.#cap);
  }

  /** First visible pixel of the content. */
  get top(): number {
    return this.#top;
  }

  get max(): number {
    return Math.max(0, this.#content - this.#page);
  }

  /** Added to a place in the content it gives the place in the scrolled element. */
  get shift(): number {
    return this.#physical - this.#top;
  }

  get scaled(): boolean {
    return this.#content > this.#cap;
  }

  /** Takes new sizes and gives the scrollTop that keeps the place. */
  resize(content: number, page: number): number {
    this.#content = content;
    this.#page = page;
    return this.place(this.#top);
  }

  /** Goes to a place in the content and gives the scrollTop for it. */
  place(top: number): number {
    this.#top = Math.min(this.max, Math.max(0, top));
    this.#physical = Math.round(this.#proportional(this.#top));
    return this.#physical;
  }

  /** Tells what scrollTop the browser made of the last place or rebase. */
  settled(physical: number): void {
    this.#physical = physical;
    if (!this.scaled) this.#top = physical;
  }

  /** The browser scrolled to this scrollTop; gives by how much the content moved. */
  scrolled(physical: number): number {
    const before = this.#top;
    const step = physical - this.#physical;
    this.#physical = physical;
    this.#top = Math.min(this.max, Math.max(0, this.#after(step)));
    return this.#top - before;
  }

  /** The scrollTop in proportion to the place, or null where it already stands there. */
  rebase(): number | null {
    const physical = Math.round(this.#proportional(this.#top));
    if (!this.scaled || Math.abs(physical - this.#physical) < 1) return null;
    this.#physical = physical;
    return physical;
  }

  /** Whether the scrollbar is at an end while the content goes on: scrolling would stick. */
  get stuck(): boolean {
    const atTop = this.#physical <= 0 && this.#top > 0;
    const atEnd = this.#physical >= this.#physicalMax - 1 && this.#top < this.max;
    return this.scaled && (atTop || atEnd);
  }

  get #physicalMax(): number {
    return Math.max(0, this.height - this.#page);
  }

  /** Shorter steps are no drag of the thumb, whose way is about a page long. */
  get #longest(): number {
    return Math.max(this.#page, this.height / Math.max(1, this.#page) / 2);
  }

  #after(step: number): number {
    if (!this.scaled) return this.#physical;
    if (Math.abs(step) <= this.#longest) return this.#top + step;
    if (this.#physical >= this.#physicalMax - 1) return this.max;
    return Math.round(stretch(this.#physical, this.#physicalMax, this.max));
  }

  #proportional(top: number): number {
    return this.scaled ? stretch(top, this.max, this.#physicalMax) : top;
  }
}

/** Maps 0..from onto 0..to: evenly between the margins, one to one within them. */
function stretch(at: number, from: number, to: number): number {
  const edge = Math.min(margin, from / 4, to / 4);
  if (at <= edge) return at;
  if (from - at <= edge) return to - (from - at);
  return edge + ((at - edge) / (from - 2 * edge)) * (to - 2 * edge);
}
