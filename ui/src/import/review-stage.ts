import { render } from 'preact';
import type { ReviewHost } from '../app/host';
import type { EarlierImport } from './earlier';
import type { Visit, VisitState } from './visit';

/** Shows the review page in place of the import page while an import is under review. */
export class ReviewStage {
  readonly #root: HTMLElement;
  readonly #visit: Visit;
  #shown: EarlierImport | null = null;
  #close = () => {};

  constructor(root: HTMLElement, visit: Visit) {
    this.#root = root;
    this.#visit = visit;
  }

  /** Shows or removes the review page. Returns whether it is shown. */
  follow({ phase, current }: VisitState): boolean {
    if (phase !== 'review' || !current) {
      if (this.#shown) this.#close();
      this.#shown = null;
      return false;
    }
    if (this.#shown?.id !== current.id) {
      this.#shown = current;
      void this.#open(current);
    }
    return true;
  }

  async #open(one: EarlierImport): Promise<void> {
    const { openReview } = await import('../app/main');
    if (this.#shown !== one) return;
    render(null, this.#root);
    this.#close = openReview(one.id, one.token, this.#host());
  }

  #host(): ReviewHost {
    const visit = this.#visit;
    const { page } = visit.state;
    return {
      title: page?.title ?? '',
      company: page?.company ?? '',
      logoUrl: page?.logoUrl ?? '',
      returnUrl: page?.returnUrl ?? '',
      accentColor: page?.accentColor ?? '',
      startOver: (forget) => void visit.startOver(forget),
    };
  }
}
