import { unwrap, Events, Fault, createApi, type Api, type Import, type Layout, type Questions, type StateEvent } from '../api';
import type { UnsentChanges } from '../cells/host';
import type { ReviewHost } from './host';
import { nextStep, stepAfter, stepBefore, stepIds, stepsOf, type CustomStep, type OwnStepId, type Step, type StepId } from './steps';

/** The state of the page. */
export interface ReviewState {
  readonly phase: 'opening' | 'trouble' | 'open';
  /** Why the page cannot show the review; null if it can. */
  readonly trouble: Fault | null;
  readonly facts: Import | null;
  readonly layout: Layout | null;
  readonly questions: Questions | null;
  readonly steps: readonly Step[];
  readonly step: StepId;
  /** False if calls have had no response for a while. */
  readonly connected: boolean;
  /**
   * Increases when the file is read again while the page is open. The page then reloads the
   * rows.
   */
  readonly reading: number;
  /** When this page first saw that the file was being processed, in milliseconds since 1970. */
  readonly since: number;
  /** Changes that were unsaved when the table was removed; null if there are none. */
  readonly unsent: UnsentChanges | null;
}

const nothing: ReviewState = {
  phase: 'opening', trouble: null, facts: null, layout: null, questions: null, steps: [], step: 'cells', connected: true, reading: 0, since: 0, unsent: null,
};

/** How long calls may have no response before the page reports it, in milliseconds. */
const lostAfter = 2500;
/** Polling interval while no events arrive, in milliseconds. */
const pollInterval = 4000;

/** The review of one import. The page shows the state of this object. */
export class Review {
  readonly api: Api;
  readonly events: Events;
  #state = nothing;
  #listeners = new Set<() => void>();
  #lost: ReturnType<typeof setTimeout> | undefined;
  #asking: ReturnType<typeof setTimeout> | undefined;
  #streaming = false;
  /** The run in the last event; null until an event arrives. */
  #run: number | null = null;
  #change: number | null = null;
  /** The token from the link, until it is exchanged for a cookie. */
  #token = '';
  #unlisten = () => {};
  #latest = 0;
  #opened = 0;
  readonly #drawn: () => Promise<unknown>;
  readonly #custom: readonly CustomStep[];
  /** The custom steps that were completed, and the values step once nothing more is matched. */
  readonly #passed = new Set<StepId>();
  /** The step to begin with, until the steps are known. */
  #wanted: OwnStepId | undefined;

  /**
   * If the page shows the rows first, the layout and the questions are requested only when
   * `drawn` resolves.
   */
  constructor(id: string, given?: (request: Request) => Promise<Response>, drawn: () => Promise<unknown> = () => Promise.resolve(), { connect, customSteps = [], startIn }: Partial<ReviewHost> = {}) {
    this.#drawn = drawn;
    this.#custom = customSteps;
    this.#wanted = startIn;
    // Whoever was in a later step has completed those before it.
    for (const { id, after } of customSteps) if (startIn && stepIds.indexOf(startIn) > stepIds.indexOf(after)) this.#passed.add(id);
    this.api = createApi(id, given);
    this.events = new Events(`${this.api.base}events/`, connect);
  }

  get state(): ReviewState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Opens the review with the token from a link. Without a token, uses the cookie of an
   * earlier visit.
   */
  async open(token: string): Promise<void> {
    this.#unlisten();
    clearTimeout(this.#asking);
    this.#token = token;
    const mine = ++this.#opened;
    this.#set({ ...nothing, reading: this.#state.reading });
    try {
      await this.#load(token ? await this.#exchange(token) : undefined);
    } catch (error) {
      if (mine !== this.#opened) return;
      this.fail(error);
      if (isLost(error)) this.#asking = setTimeout(() => void this.retry(), pollInterval);
      return;
    }
    if (mine !== this.#opened) return;
    this.#unlisten = this.events.listen({ state: (event) => this.#onState(event), connected: (is) => this.#onConnection(is) });
    this.#schedulePoll();
  }

  /** Ends the event stream and all timers. The page that shows the review is about to go. */
  close(): void {
    this.#opened++;
    this.#latest++;
    this.#unlisten();
    clearTimeout(this.#asking);
    clearTimeout(this.#lost);
  }

  /** Deletes the import, so that another file can be sent. */
  async discard(): Promise<void> {
    await unwrap(this.api.calls.DELETE('/api/review/v1/{id}/', { params: { path: this.api.path } }));
  }

  /** Opens the review again after a fault. */
  retry(): Promise<void> {
    return this.open(this.#token);
  }

  async #exchange(token: string): Promise<Import> {
    const facts = await unwrap(this.api.calls.POST('/api/review/v1/{id}/session/', { params: { path: this.api.path }, headers: { authorization: `Bearer ${token}` } }));
    this.#token = '';
    return facts;
  }

  /** Reloads everything and stays in the current step if possible. */
  async refresh(): Promise<void> {
    if (this.#state.phase !== 'open') return;
    try {
      await this.#load();
      this.#setConnected(true);
    } catch (error) {
      // A temporary fault must not interrupt the user.
      if (isLost(error) || (error instanceof Fault && error.status >= 500)) this.#setConnected(false);
      else this.fail(error);
    }
  }

  async #load(known?: Import): Promise<void> {
    const mine = ++this.#latest;
    const facts = known ?? await unwrap(this.api.calls.GET('/api/review/v1/{id}/', { params: { path: this.api.path } }));
    const inReview = facts.status === 'NEEDS_REVIEW';
    // Most users open the page to match values and fix cells, so show these before requesting how
    // the file was read.
    const first = facts.unmatchedValues ? 'values' : 'cells';
    if (this.#state.phase === 'opening' && hasRows(facts) && this.#custom.every(({ id }) => this.#passed.has(id)) && (this.#wanted ?? first) === first) {
      this.#setLoaded(facts, null, null);
      await this.#drawn();
      if (mine !== this.#latest) return;
    }
    const [layout, questions] = inReview ? await Promise.all([this.#layout(), this.#questions()]) : [null, null];
    if (mine !== this.#latest) return;
    this.#setLoaded(facts, layout, questions);
  }

  #layout(): Promise<Layout> {
    return unwrap(this.api.calls.GET('/api/review/v1/{id}/layout/', { params: { path: this.api.path } }));
  }

  #questions(): Promise<Questions> {
    return unwrap(this.api.calls.GET('/api/review/v1/{id}/questions/', { params: { path: this.api.path } }));
  }

  #setLoaded(facts: Import, layout: Layout | null, questions: Questions | null): void {
    const before = this.#state;
    const steps = facts.status === 'NEEDS_REVIEW' ? stepsOf(facts, layout, questions, this.#custom, this.#passed) : [];
    const wanted = steps.find((step) => step.id === this.#wanted && step.ready)?.id;
    if (layout) this.#wanted = undefined;
    const stays = before.facts?.status === 'NEEDS_REVIEW' && steps.some((step) => step.id === before.step && step.ready);
    const waited = isUnderWay(before.facts) && isUnderWay(facts);
    this.#set({
      ...before, phase: 'open', trouble: null, facts, layout, questions, steps,
      step: wanted ?? (stays ? before.step : nextStep(steps)),
      since: waited ? before.since : Date.now(),
    });
    this.#schedulePoll();
  }

  /**
   * Sends answers. When no question is open, the import runs again. If that would discard
   * cell changes, the server rejects the call unless discard is set.
   */
  async answer(answers: Record<string, string | null>, discard = false): Promise<void> {
    const body = { answers, ...(discard && { discard }) };
    await unwrap(this.api.calls.POST('/api/review/v1/{id}/questions/', { params: { path: this.api.path }, body }));
    this.#passed.delete('values');
    await this.#advance();
  }

  /**
   * Runs the import again with the same answers, after a fault. If that would discard cell
   * changes, the server rejects the call unless discard is set.
   */
  async runAgain(discard = false): Promise<void> {
    await unwrap(this.api.calls.POST('/api/review/v1/{id}/run-again/', { params: { path: this.api.path }, body: { discard } }));
    await this.retry();
  }

  /**
   * Changes a setting that has no question, such as the column of a field. After the file was read again,
   * the page shows the step `then` or, by default, the next one with an open question.
   */
  async updateLayout(answers: Record<string, string | null>, then?: OwnStepId): Promise<void> {
    await unwrap(this.api.calls.POST('/api/review/v1/{id}/layout/', { params: { path: this.api.path }, body: { answers } }));
    this.#wanted = then;
    if (then === 'cells') this.#passed.add('values');
    else this.#passed.delete('values');
    await this.#advance();
  }

  async #advance(): Promise<void> {
    const wanted = this.#wanted; // a refresh after the run clears it
    await this.refresh();
    if (this.#state.steps.length > 0 && !wanted) this.goTo(nextStep(this.#state.steps));
  }

  goTo(step: StepId): void {
    if (!this.#state.steps.some((one) => one.id === step && one.ready)) return;
    const leaves = this.#state.step === 'cells' && step !== 'cells';
    this.#set({ ...this.#state, step });
    // Edits in the cells step may have changed the number of changes that reading the file
    // again would discard.
    if (leaves) void this.refresh();
  }

  /** Completes a step that has no questions, and goes to the step after it. */
  pass(step: StepId): void {
    this.#passed.add(step);
    const { facts, layout, questions } = this.#state;
    if (!facts) return;
    this.#set({ ...this.#state, steps: stepsOf(facts, layout, questions, this.#custom, this.#passed) });
    this.goTo(stepAfter(this.#state.steps, step));
  }

  /** Goes to the step before the given one. */
  goBack(step: StepId): void {
    this.goTo(stepBefore(this.#state.steps, step));
  }

  /** Stores unsaved changes. The page shows them when the review has ended. */
  rememberUnsent(unsent: UnsentChanges): void {
    if (unsent.changes > 0) this.#set({ ...this.#state, unsent });
  }

  /** Shows a fault instead of the review. */
  fail(error: unknown): void {
    this.#latest++; // a load that is still in progress must not hide the fault
    this.#unlisten();
    clearTimeout(this.#asking);
    clearTimeout(this.#lost);
    const fault = error instanceof Fault ? error : new Fault('refused', { detail: { text: String(error) } });
    this.#set({ ...this.#state, phase: 'trouble', trouble: fault });
  }

  #onState(event: StateEvent): void {
    const again = this.#run !== null && event.run !== this.#run;
    this.#run = event.run;
    const behind = this.#state.step !== 'cells' && this.#change !== null && event.change !== this.#change;
    this.#change = event.change;
    if (again) this.#set({ ...this.#state, reading: this.#state.reading + 1 });
    if (again || behind || event.status !== this.#state.facts?.status) void this.refresh();
  }

  /**
   * Handles a change in the connection of the event stream. The stream may be down while calls
   * still succeed.
   */
  #onConnection(is: boolean): void {
    this.#streaming = is;
    clearTimeout(this.#lost);
    if (!is) this.#lost = setTimeout(() => void this.refresh(), lostAfter);
    else if (!this.#state.connected) void this.refresh();
  }

  /** Records whether the last call got a response. */
  #setConnected(is: boolean): void {
    if (this.#state.connected !== is) this.#set({ ...this.#state, connected: is });
    this.#schedulePoll();
  }

  /** Schedules the next poll if the page waits for the server and the event stream is down. */
  #schedulePoll(): void {
    clearTimeout(this.#asking);
    const { phase, facts, connected } = this.#state;
    if (phase !== 'open' || (connected && (this.#streaming || !isUnderWay(facts)))) return;
    this.#asking = setTimeout(() => void this.refresh(), pollInterval);
  }

  #set(state: ReviewState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}

function isLost(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'lost';
}

/** Reports whether the page can show the rows without asking any questions first. */
function hasRows({ status, hasRows, openQuestions }: Import): boolean {
  return status === 'NEEDS_REVIEW' && hasRows === true && openQuestions === 0;
}

/** Reports whether the import is waiting for the server or the file, not for the user. */
export function isUnderWay(facts: Import | null): boolean {
  return facts !== null && ['AWAITING_UPLOAD', 'PENDING', 'RUNNING'].includes(facts.status);
}
