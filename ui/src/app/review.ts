import { ask, Events, Fault, openApi, type Api, type Import, type Layout, type Questions, type StateEvent } from '../api';
import { nextStep, stepsOf, type Step, type StepId } from './steps';

/** What the page knows, and where the person is. */
export interface ReviewState {
  readonly phase: 'opening' | 'trouble' | 'open';
  /** Why nothing can be shown. */
  readonly trouble: Fault | null;
  readonly facts: Import | null;
  readonly layout: Layout | null;
  readonly questions: Questions | null;
  readonly steps: readonly Step[];
  readonly step: StepId;
  /** False once calls have had no answer for a while. */
  readonly connected: boolean;
  /** Grows with each reading of the file: what was shown of its rows is no more. */
  readonly run: number;
  /** When the file began to be read, in milliseconds, as this page saw it. */
  readonly since: number;
}

const nothing: ReviewState = {
  phase: 'opening', trouble: null, facts: null, layout: null, questions: null, steps: [], step: 'cells', connected: true, run: 0, since: 0,
};

/** So long without an answer before a person is told, in milliseconds. */
const patience = 2500;
/** How often is asked while the news do not come, in milliseconds. */
const pulse = 4000;

/** The review of one import: what the pages show is its state. */
export class Review {
  readonly api: Api;
  readonly events: Events;
  #state = nothing;
  #listeners = new Set<() => void>();
  #lost: ReturnType<typeof setTimeout> | undefined;
  #asking: ReturnType<typeof setTimeout> | undefined;
  #heard = false;
  /** The token of the link, until there is a cookie for it. */
  #token = '';
  #unlisten = () => {};
  #latest = 0;

  constructor(id: string, given?: typeof fetch) {
    this.api = openApi(id, given);
    this.events = new Events(`${this.api.base}events/`);
  }

  get state(): ReviewState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Opens the review by the token of a link, or where there is none by the cookie of an earlier visit. */
  async open(token: string): Promise<void> {
    this.#unlisten();
    clearTimeout(this.#asking);
    this.#token = token;
    this.#set({ ...nothing, run: this.#state.run });
    try {
      if (token) await this.#exchange(token);
      await this.#load();
    } catch (error) {
      this.fail(error);
      if (isLost(error)) this.#asking = setTimeout(() => void this.retry(), pulse);
      return;
    }
    this.#unlisten = this.events.listen({ state: (event) => this.#hear(event), connected: (is) => this.#connection(is) });
    this.#beat();
  }

  /** Opens it once more after a fault. */
  retry(): Promise<void> {
    return this.open(this.#token);
  }

  async #exchange(token: string): Promise<void> {
    await ask(this.api.calls.POST('/api/review/v1/{id}/session/', { params: { path: this.api.path }, headers: { authorization: `Bearer ${token}` } }));
    this.#token = '';
  }

  /** Looks everything up anew, and stays in the step where that is possible. */
  async refresh(): Promise<void> {
    try {
      await this.#load();
      this.#answers(true);
    } catch (error) {
      if (isLost(error)) this.#answers(false);
      else this.fail(error);
    }
  }

  async #load(): Promise<void> {
    const mine = ++this.#latest;
    const facts = await ask(this.api.calls.GET('/api/review/v1/{id}/', { params: { path: this.api.path } }));
    const inReview = facts.status === 'NEEDS_REVIEW';
    const [layout, questions] = inReview ? await Promise.all([this.#layout(), this.#questions()]) : [null, null];
    if (mine !== this.#latest) return;
    this.#take(facts, layout, questions);
  }

  #layout(): Promise<Layout> {
    return ask(this.api.calls.GET('/api/review/v1/{id}/layout/', { params: { path: this.api.path } }));
  }

  #questions(): Promise<Questions> {
    return ask(this.api.calls.GET('/api/review/v1/{id}/questions/', { params: { path: this.api.path } }));
  }

  #take(facts: Import, layout: Layout | null, questions: Questions | null): void {
    const before = this.#state;
    const steps = facts.status === 'NEEDS_REVIEW' ? stepsOf(facts, layout, questions) : [];
    const stays = before.facts?.status === 'NEEDS_REVIEW' && steps.some((step) => step.id === before.step && step.ready);
    const waited = isUnderWay(before.facts) && isUnderWay(facts);
    this.#set({
      ...before, phase: 'open', trouble: null, facts, layout, questions, steps,
      step: stays ? before.step : nextStep(steps),
      since: waited ? before.since : Date.now(),
    });
    this.#beat();
  }

  /** Sends what a person decided. The import runs again once nothing is left open. */
  async answer(answers: Record<string, string | null>): Promise<void> {
    await ask(this.api.calls.POST('/api/review/v1/{id}/questions/', { params: { path: this.api.path }, body: { answers } }));
    await this.#decided();
  }

  /** Decides anew what no question asks about, such as the column of a field. */
  async relay(answers: Record<string, string | null>): Promise<void> {
    await ask(this.api.calls.POST('/api/review/v1/{id}/layout/', { params: { path: this.api.path }, body: { answers } }));
    await this.#decided();
  }

  async #decided(): Promise<void> {
    await this.refresh();
    if (this.#state.steps.length > 0) this.goTo(nextStep(this.#state.steps));
  }

  goTo(step: StepId): void {
    if (this.#state.steps.some((one) => one.id === step && one.ready)) this.#set({ ...this.#state, step });
  }

  /** Shows why nothing can be shown any more. */
  fail(error: unknown): void {
    this.#unlisten();
    clearTimeout(this.#asking);
    clearTimeout(this.#lost);
    const fault = error instanceof Fault ? error : new Fault('refused', { message: String(error) });
    this.#set({ ...this.#state, phase: 'trouble', trouble: fault });
  }

  #hear(event: StateEvent): void {
    const { facts, run } = this.#state;
    if (event.run !== run) this.#set({ ...this.#state, run: event.run });
    if (event.status !== facts?.status || (run !== 0 && event.run !== run)) void this.refresh();
  }

  /** The stream of news went, or came back. It may also be refused where the calls go through. */
  #connection(is: boolean): void {
    this.#heard = is;
    clearTimeout(this.#lost);
    if (!is) this.#lost = setTimeout(() => void this.refresh(), patience);
    else if (!this.#state.connected) void this.refresh();
  }

  /** A call was answered, or was not. */
  #answers(is: boolean): void {
    if (this.#state.connected !== is) this.#set({ ...this.#state, connected: is });
    this.#beat();
  }

  /** Asks by itself while something is awaited and no news come. */
  #beat(): void {
    clearTimeout(this.#asking);
    const { phase, facts, connected } = this.#state;
    if (phase !== 'open' || (connected && (this.#heard || !isUnderWay(facts)))) return;
    this.#asking = setTimeout(() => void this.refresh(), pulse);
  }

  #set(state: ReviewState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}

function isLost(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'lost';
}

/** Whether the service, not the person, has to do something. */
export function isUnderWay(facts: Import | null): boolean {
  return facts !== null && ['AWAITING_UPLOAD', 'PENDING', 'RUNNING'].includes(facts.status);
}
