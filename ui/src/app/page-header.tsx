import { Logo } from '../kit';
import { useReview, useShared } from './context';
import { isUnderWay } from './review';
import { StepRail } from './step-rail';
import { stepIds, type Step } from './steps';
import { useSubmit } from './submit/context';

/** The steps while the file is being read. */
const comingSteps: readonly Step[] = stepIds.filter((id) => id !== 'values').map((id) => ({ id, open: 0, ready: false }));

/** The header bar: title, file and steps. */
export function PageHeader() {
  const { t, locale, host } = useShared();
  const { phase, facts, steps, step } = useReview();
  const { rows } = useSubmit();
  const shown = phase === 'open' ? facts : null;
  const parts = [shown?.original_filename, rows ? t('rows', { n: rows }) : ''].filter(Boolean);
  return (
    <header class="bar">
      {host ? host.logoUrl && <img class="bar-image" src={host.logoUrl} alt="" /> : <Logo />}
      <div class="bar-facts">
        <p class="bar-title" dir="auto">{host?.title || shown?.title || t(shown ? 'page.import' : 'page.review')}</p>
        {parts.length > 0 && <p class="bar-file">{parts.map((part) => locale.isolate(part!)).join(' · ')}</p>}
      </div>
      {shown && steps.length > 0 && <StepRail steps={steps} current={step} />}
      {isUnderWay(shown) && shown?.status !== 'AWAITING_UPLOAD' && <StepRail steps={comingSteps} current="table" />}
    </header>
  );
}
