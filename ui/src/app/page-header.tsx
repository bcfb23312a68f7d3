import { useRef, useState } from 'preact/hooks';
import { Button, Icon, Logo, Menu } from '../kit';
import { useReview, useShared, type Key } from './context';
import type { Step, StepId } from './steps';
import { OtherFile } from './other-file';
import { useSubmit } from './submit/context';

export const stepNames: Readonly<Record<StepId, Key>> = {
  sheet: 'step.sheet', header: 'step.header', columns: 'step.columns', values: 'step.values', cells: 'step.cells',
};

/** The header bar: title, steps and the submit button. */
export function PageHeader() {
  const { t, locale, host } = useShared();
  const { phase, facts, steps, step } = useReview();
  const { rows, open, ready } = useSubmit();
  const shown = phase === 'open' ? facts : null;
  const parts = [shown?.original_filename, rows ? t('rows', { n: rows }) : ''].filter(Boolean);
  return (
    <header class="bar">
      {host ? host.logoUrl && <img class="bar-image" src={host.logoUrl} alt="" /> : <Logo />}
      <div class="bar-facts">
        <p class="bar-title" dir="auto">{host?.title || shown?.title || t(shown ? 'page.import' : 'page.review')}</p>
        {parts.length > 0 && <p class="bar-file">{parts.map((part) => locale.isolate(part!)).join(' · ')}</p>}
      </div>
      {host && shown?.status === 'NEEDS_REVIEW' && <OtherFile />}
      {shown && steps.length > 1 && <Stepper steps={steps} current={step} />}
      {shown && steps.length > 0 && ready && <Button look={rows > 0 ? 'primary' : 'plain'} class="bar-submit" onClick={open}>{t('submit')}</Button>}
    </header>
  );
}

interface StepperProps {
  readonly steps: readonly Step[];
  readonly current: StepId;
}

function Stepper(props: StepperProps) {
  return (
    <>
      <WideStepper {...props} />
      <NarrowStepper {...props} />
    </>
  );
}

function WideStepper({ steps, current }: StepperProps) {
  const { t } = useShared();
  const { goTo } = useSubmit();
  return (
    <nav class="stepper" aria-label={t('steps')}>
      <ol>
        {steps.map((step, at) => (
          <li key={step.id}>
            <button
              type="button"
              class="stepper-step"
              aria-current={step.id === current ? 'step' : undefined}
              disabled={!step.ready}
              onClick={() => goTo(step.id)}
            >
              <Sign here={step.id === current} settled={isSettled(steps, at)} />
              {t(stepNames[step.id])}
              {step.open > 0 && <span class="k-unseen"> {t('step.open', { n: step.open })}</span>}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Sign({ here, settled }: { here: boolean; settled: boolean }) {
  if (here) return <span class="stepper-dot is-here" />;
  return settled ? <Icon name="check" /> : <span class="stepper-dot" />;
}

/**
 * Reports whether a step is complete. While a step has open questions, later steps are not
 * complete, because their questions may still change.
 */
function isSettled(steps: readonly Step[], at: number): boolean {
  return steps[at]?.id !== 'cells' && steps.slice(0, at + 1).every((step) => step.open === 0);
}

function NarrowStepper({ steps, current }: StepperProps) {
  const { t } = useShared();
  const { goTo } = useSubmit();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const at = steps.findIndex((step) => step.id === current);
  const items = steps.map((step, place) => ({
    label: t(stepNames[step.id]),
    onSelect: () => goTo(step.id),
    disabled: !step.ready,
    ...(isSettled(steps, place) ? { icon: 'check' as const } : {}),
  }));
  return (
    <nav class="stepper-narrow" aria-label={t('steps')}>
      <Button refTo={button} look="quiet" small icon="down" iconLast popup="menu" expanded={open} onClick={() => setOpen(!open)}>
        {t('step.place', { name: t(stepNames[current]), at: at + 1, of: steps.length })}
      </Button>
      {open && <Menu anchor={button} label={t('steps')} items={items} onClose={() => setOpen(false)} />}
    </nav>
  );
}
