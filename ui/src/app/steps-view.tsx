import { useEffect, useRef } from 'preact/hooks';
import { CellsStep } from './cells-step';
import { useReview, useShared } from './context';
import { OnDemand, useOnDemand } from './on-demand';
import type { CustomStepId, OwnStepId, StepId } from './steps';
import { Spinner } from '../kit';

/** Delay before the other steps are loaded, in milliseconds. The rows come first. */
const loadAfter = 1000;

export const otherSteps = new OnDemand(() => import('./other-steps'));

/** Shows the current step. */
export function Steps() {
  const { step } = useReview();
  // The other steps must be there if the connection is lost.
  useEffect(() => {
    const timer = setTimeout(() => void otherSteps.load().catch(() => {}), loadAfter);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <HelpText step={step} />
      {step === 'cells' ? <CellsStep /> : isCustom(step) ? <Custom key={step} step={step} /> : <Other step={step} />}
    </>
  );
}

function isCustom(step: StepId): step is CustomStepId {
  return step.startsWith('custom:');
}

/** The text of the organization for a step. */
function HelpText({ step }: { step: StepId }) {
  const { host } = useShared();
  const text = isCustom(step) ? '' : host?.helpTexts?.[step];
  return text ? <p class="step-help"><bdi>{text}</bdi></p> : null;
}

/** The place of a step that the page around the importer adds. */
function Custom({ step }: { step: CustomStepId }) {
  const { host, review } = useShared();
  const { steps } = useReview();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => host?.showCustomStep?.(step, place.current!, { next: () => review.pass(step), back: () => review.goBack(step) }), []);
  return (
    <main class="custom-step">
      <h1 class="k-unseen">{steps.find((one) => one.id === step)?.label}</h1>
      <div ref={place} />
    </main>
  );
}

function Other({ step }: { step: Exclude<OwnStepId, 'cells'> }) {
  const { t } = useShared();
  const { module, failure } = useOnDemand(otherSteps);
  return failure ?? (module ? <module.OtherStep key={step} step={step} /> : <p class="cells-opening"><Spinner /> {t('opening')}</p>);
}
