import { render } from 'preact';
import type { ReviewHost } from '../app/host';
import type { OwnStepId } from '../app/steps';
import type { EarlierImport } from './earlier';
import type { Visit, VisitState } from './visit';

/** Shows the review page in place of the import page while an import is under review. */
export class ReviewStage {
  readonly #root: HTMLElement;
  readonly #visit: Visit;
  readonly #more: Partial<ReviewHost>;
  readonly #send: typeof fetch | undefined;
  #shown: EarlierImport | null = null;
  #close = () => {};

  /** `more` is what the review page needs in addition, and `send` sends its calls. */
  constructor(root: HTMLElement, visit: Visit, more: Partial<ReviewHost> = {}, send?: typeof fetch) {
    this.#root = root;
    this.#visit = visit;
    this.#more = more;
    this.#send = send;
  }

  /** Removes the review page. */
  close(): void {
    if (this.#shown) this.#close();
    this.#shown = null;
  }

  /** Shows or removes the review page. Returns whether it is shown. */
  follow({ phase, current }: VisitState): boolean {
    if (phase !== 'review' || !current) {
      this.close();
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
    this.#close = openReview(one.id, one.token, this.#host(), this.#send);
  }

  #host(): ReviewHost {
    const visit = this.#visit;
    const { page } = visit.state;
    const { saved } = page ?? {};
    return {
      title: page?.title ?? '',
      company: page?.company ?? '',
      logoUrl: page?.logoUrl ?? '',
      returnUrl: page?.returnUrl ?? '',
      accentColor: page?.accentColor ?? '',
      ...(!visit.isSingle && { startOver: (forget: boolean) => void visit.startOver(forget) }),
      ...(saved?.step && saved.id === this.#shown?.id && { startIn: saved.step as OwnStepId }),
      ...this.#more,
    };
  }
}
