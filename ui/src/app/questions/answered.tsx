import { useState } from 'preact/hooks';
import { Fault } from '../../api';
import { Button, Icon } from '../../kit';
import { useReview, useShared } from '../context';
import { Raw } from '../server-text';
import { RereadDialog } from '../reread-dialog';
import { FaultNote } from '../notices';
import { noneAnswer } from './drafts';
import { headingOf, choiceLabel } from './headings';

interface Props {
  readonly decided: readonly [string, string][];
  /** Returns the subject of an answer and the answer, as text. By default, they are those of the question. */
  readonly textOf?: (id: string, value: string) => readonly [what: string, value: string];
}

/** Lists earlier answers. If the user withdraws one, Intray asks its question again. */
export function Answered({ decided, textOf }: Props) {
  const { review, t, locale } = useShared();
  const { layout } = useReview();
  const [asking, setAsking] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  if (decided.length === 0) return null;
  const withdraw = async (id: string) => {
    setAsking(null);
    try {
      await review.updateLayout({ [id]: null });
    } catch (error) {
      setFault(error instanceof Fault ? error : new Fault('lost'));
    }
  };
  const question = (id: string, value: string) => [headingOf({ id }, layout, t), choiceLabel({ id }, { value, label: '' }, layout, t, locale)] as const;
  const ask = (id: string) => ((layout?.changes ?? 0) > 0 ? setAsking(id) : void withdraw(id));
  return (
    <section class="decided">
      <h2>{t('decided')}</h2>
      <ul>
        {decided.map(([id, value]) => {
          const [what, text] = (textOf ?? question)(id, value);
          return (
            <li key={id}>
              <Icon name="check" />
              <span class="decided-what"><Raw text={what} /></span>
              <strong class="decided-value">{value === noneAnswer ? t('decided.none') : <Raw text={text} />}</strong>
              <Button look="quiet" small onClick={() => ask(id)}>{t('decided.change')}</Button>
            </li>
          );
        })}
      </ul>
      <FaultNote fault={fault} />
      {asking !== null && <RereadDialog changes={layout?.changes ?? 0} onDo={() => void withdraw(asking)} onClose={() => setAsking(null)} />}
    </section>
  );
}
