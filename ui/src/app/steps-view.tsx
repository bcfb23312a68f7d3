import { useEffect } from 'preact/hooks';
import { CellsStep } from './cells-step';
import { useReview, useShared } from './context';
import { OnDemand, useOnDemand } from './on-demand';
import type { StepId } from './steps';
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
  return step === 'cells' ? <CellsStep /> : <Other step={step} />;
}

function Other({ step }: { step: Exclude<StepId, 'cells'> }) {
  const { t } = useShared();
  const { module, failure } = useOnDemand(otherSteps);
  return failure ?? (module ? <module.OtherStep key={step} step={step} /> : <p class="cells-opening"><Spinner /> {t('opening')}</p>);
}
