/** Height of the part at each end where scrollbar and content move by the same distance, in pixels. */
const margin = 40_000;

/**
 * Maps a scrollbar of limited length to content of any length.
 *
 * Browsers limit the height of an element (Chromium to 33,554,432 px, others to less) and
 * blur content beyond 2^23 px, so the scrolled element is at most `cap` pixels high. Small
 * steps move the content pixel by pixel, so one tick of the mouse wheel scrolls the same
 * distance in ten rows as in ten million. A step that moves the thumb by at least one pixel
 * can only come from dragging the thumb or from a program, and moves the content in
 * proportion. After scrolling, rebase corrects the drift of the thumb. Both ends have an
 * unscaled margin, because the last pixels would be unreachable otherwise.
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

  /** Height of the scrolled element, in pixels. */
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

  /**
   * Difference between a position in the scrolled element and the same position in the
   * content, in pixels.
   */
  get shift(): number {
    return this.#physical - this.#top;
  }

  get scaled(): boolean {
    return this.#content > this.#cap;
  }

  /** Sets new sizes and returns the scrollTop that keeps the position. */
  resize(content: number, page: number): number {
    this.#content = content;
    this.#page = page;
    return this.place(this.#top);
  }

  /** Scrolls to a position in the content and returns the matching scrollTop. */
  place(top: number): number {
    this.#top = Math.min(this.max, Math.max(0, top));
    this.#physical = Math.round(this.#proportional(this.#top));
    return this.#physical;
  }

  /** Stores the scrollTop that the browser actually set after place or rebase. */
  settled(physical: number): void {
    this.#physical = physical;
    if (!this.scaled) this.#top = physical;
  }

  /** Handles a scroll event with this scrollTop. Returns how far the content moved, in pixels. */
  scrolled(physical: number): number {
    const before = this.#top;
    const step = physical - this.#physical;
    this.#physical = physical;
    this.#top = Math.min(this.max, Math.max(0, this.#after(step)));
    return this.#top - before;
  }

  /**
   * Returns the scrollTop that is in proportion to the position, or null if it is already
   * correct.
   */
  rebase(): number | null {
    const physical = Math.round(this.#proportional(this.#top));
    if (!this.scaled || Math.abs(physical - this.#physical) < 1) return null;
    this.#physical = physical;
    return physical;
  }

  /** Whether the scrollbar is at an end while the content is not, so that scrolling would stop. */
  get stuck(): boolean {
    const atTop = this.#physical <= 0 && this.#top > 0;
    const atEnd = this.#physical >= this.#physicalMax - 1 && this.#top < this.max;
    return this.scaled && (atTop || atEnd);
  }

  get #physicalMax(): number {
    return Math.max(0, this.height - this.#page);
  }

  /**
   * The longest step that does not count as dragging the thumb, in pixels. The track of the
   * thumb is about one page long.
   */
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

/** Maps the range 0 to `from` to the range 0 to `to`: one to one within the margins, and in proportion between them. */
function stretch(at: number, from: number, to: number): number {
  const edge = Math.min(margin, from / 4, to / 4);
  if (at <= edge) return at;
  if (from - at <= edge) return to - (from - at);
  return edge + ((at - edge) / (from - 2 * edge)) * (to - 2 * edge);
}
