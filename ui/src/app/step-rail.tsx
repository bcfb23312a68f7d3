import { useState } from 'preact/hooks';
import { Icon } from '../kit';
import { useShared, type Key } from './context';
import { OtherFile } from './other-file';
import type { OwnStepId, Step, StepId } from './steps';
import { useSubmit } from './submit/context';

const names: Readonly<Record<OwnStepId, Key>> = { table: 'step.table', columns: 'step.columns', values: 'step.values', cells: 'step.cells', confirm: 'step.confirm' };

interface Props {
  readonly steps: readonly Step[];
  readonly current: StepId;
}

/**
 * The steps from the upload to the confirmation. In a narrow window, only the name of the
 * current step is visible.
 */
export function StepRail({ steps, current }: Props) {
  const { t, host } = useShared();
  const { goTo, errors } = useSubmit();
  const [other, setOther] = useState(false);
  const first = host?.startOver ? 1 : 0;
  return (
    <nav class="rail" aria-label={t('steps')}>
      <ol>
        {host?.startOver && <RailStep name={t('step.upload')} number={1} done here={false} title={t('other.file')} onClick={() => setOther(true)} />}
        {steps.map((step, at) => (
          <RailStep
            key={step.id}
            name={step.label ?? t(names[step.id as OwnStepId])}
            number={at + 1 + first}
            open={step.label === undefined ? step.open : 0}
            done={isDone(steps, at, errors)}
            here={step.id === current}
            closed={!step.ready}
            onClick={() => goTo(step.id)}
          />
        ))}
      </ol>
      {other && <OtherFile onClose={() => setOther(false)} />}
    </nav>
  );
}

/**
 * Reports whether there is nothing left to do in a step. While a step has open questions, later
 * steps are not done, because their questions may still change.
 */
function isDone(steps: readonly Step[], at: number, errors: number): boolean {
  const { id, ready } = steps[at]!;
  return id !== 'confirm' && ready && (id !== 'cells' || errors === 0) && steps.slice(0, at + 1).every((step) => step.open === 0);
}

interface RailStepProps {
  readonly name: string;
  readonly number: number;
  /** Number of unanswered questions. */
  readonly open?: number;
  readonly done: boolean;
  readonly here: boolean;
  readonly closed?: boolean;
  readonly title?: string;
  readonly onClick: () => void;
}

function RailStep({ name, number, open = 0, done, here, closed, title, onClick }: RailStepProps) {
  const { t, locale } = useShared();
  return (
    <li class={`${here ? 'is-here' : ''}${done ? ' is-done' : ''}`}>
      <button type="button" class="rail-step" aria-current={here ? 'step' : undefined} disabled={closed} title={title} onClick={onClick}>
        <span class="rail-mark" aria-hidden="true">{done && !here ? <Icon name="check" size={14} /> : locale.number(number)}</span>
        <span class="rail-name">{name}</span>
        {open > 0 && <span class="k-unseen"> {t('step.open', { n: open })}</span>}
        {done && <span class="k-unseen"> {t('step.done')}</span>}
      </button>
    </li>
  );
}
