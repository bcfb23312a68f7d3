import { useState } from 'preact/hooks';
import { Fault } from '../../api';
import { Button, Icon } from '../../kit';
import { useReview, useShared } from '../context';
import { Raw } from '../sentence';
import { ReadAgain } from '../read-again';
import type { StepId } from '../steps';
import { FaultNote } from '../parts';
import { none } from './drafts';
import { headingOf, labelOf } from './headings';

interface Props {
  readonly step: StepId;
  readonly decided: readonly [string, string][];
}

/** What was answered before, each to be taken back: then it is asked about once more. */
export function Decided({ decided }: Props) {
  const { review, t, locale } = useShared();
  const { layout } = useReview();
  const [asking, setAsking] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  if (decided.length === 0) return null;
  const takeBack = async (id: string) => {
    setAsking(null);
    try {
      await review.relay({ [id]: null });
    } catch (error) {
      setFault(error instanceof Fault ? error : new Fault('lost'));
    }
  };
  const ask = (id: string) => ((layout?.changes ?? 0) > 0 ? setAsking(id) : void takeBack(id));
  return (
    <section class="decided">
      <h2>{t('decided')}</h2>
      <ul>
        {decided.map(([id, value]) => (
          <li key={id}>
            <Icon name="check" />
            <span class="decided-what">{headingOf({ id }, layout, t)}</span>
            <strong class="decided-value">{value === none ? t('decided.none') : <Raw text={labelOf({ id }, { value, label: '' }, layout, t, locale)} />}</strong>
            <Button look="quiet" small onClick={() => ask(id)}>{t('decided.change')}</Button>
          </li>
        ))}
      </ul>
      <FaultNote fault={fault} />
      {asking !== null && <ReadAgain changes={layout?.changes ?? 0} onDo={() => void takeBack(asking)} onClose={() => setAsking(null)} />}
    </section>
  );
}
