import type { Connect } from '../api';
import type { CustomStep, CustomStepId, OwnStepId, Step, StepId } from './steps';

/** What a custom step can do with the flow. */
export interface StepControls {
  /** Goes to the next step, because this one is complete. */
  readonly next: () => void;
  readonly back: () => void;
}

/**
 * The page that shows a review as a part of a longer flow. The review page then belongs to the
 * person who sent the file.
 */
export interface ReviewHost {
  readonly title: string;
  readonly company: string;
  readonly logoUrl: string;
  readonly returnUrl: string;
  readonly accentColor: string;
  /** Language tag; missing or null for that of the page. */
  readonly language?: string | null;
  /**
   * Hands the submitted rows over to the page that embeds the importer. Rejects if that page does not
   * accept them. Missing if there is no such page.
   */
  readonly deliver?: () => Promise<void>;
  /** Opens an event stream; missing if the cookie of the page authenticates it. */
  readonly connect?: Connect;
  /** Steps that the page adds. */
  readonly customSteps?: readonly CustomStep[];
  /** Shows a custom step in an element. Returns a function that removes it. */
  readonly showCustomStep?: (id: CustomStepId, place: HTMLElement, controls: StepControls) => () => void;
  /** The step in which the person was on an earlier visit. */
  readonly startIn?: OwnStepId | undefined;
  /** Texts of the organization for the steps. */
  readonly helpTexts?: Partial<Readonly<Record<OwnStepId, string>>>;
  /** What people may not do with rows. */
  readonly forbids?: { readonly adding?: boolean; readonly removing?: boolean; readonly submittingNone?: boolean };
  /** Called when the steps or the current step may have changed. There are no steps before and after the review. */
  readonly onState?: (state: { readonly steps: readonly Step[]; readonly step: StepId }) => void;
  /** Leaves the review, so that the person can send another file. `forget` removes this import from those that the page remembers. Missing if this import cannot be replaced. */
  readonly startOver?: (forget: boolean) => void;
}
