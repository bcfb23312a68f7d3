import { createLinkApi } from '../import/api';
import type { OwnStepId, StepId } from '../app/steps';

/** How long to wait after a change before it is recorded, in milliseconds. */
const changeDelay = 700;

/**
 * Records in the session of an import in which step the person is, and that they still work on it. The
 * answers and changes themselves are already on the server, so a failed call loses nothing.
 */
export class Progress {
  readonly #path: { readonly id: string };
  readonly #api;
  #step: OwnStepId | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `send` sends calls with the session of the review. */
  constructor(id: string, send: typeof fetch) {
    this.#path = { id };
    this.#api = createLinkApi(send);
  }

  /** Records the current step at once. */
  enter(step: StepId): void {
    if (step === this.#step || step.startsWith('custom:')) return;
    this.#step = step as OwnStepId;
    this.#save();
  }

  /** Records that rows or answers have changed. */
  change(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#save(), changeDelay);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#step = null;
  }

  #save(): void {
    clearTimeout(this.#timer);
    if (!this.#step) return;
    void this.#api.PUT('/api/review/v1/{id}/progress/', { params: { path: this.#path }, body: { step: this.#step } }).catch(() => {});
  }
}
