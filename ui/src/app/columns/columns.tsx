import { useState } from 'preact/hooks';
import { Fault, type Layout, type Question } from '../../api';
import { Button } from '../../kit';
import { useReview, useShared } from '../context';
import { layoutAnswers, missingRequired, applyMapping, settledInTable, unused, assignField, type MappingChanges } from '../mapping';
import { FaultNote } from '../notices';
import { StepHeading } from '../step-heading';
import { Card } from '../questions/card';
import { applyChoice, currentAnswer, firstUnanswered, type Drafts } from '../questions/drafts';
import { useDigits } from '../questions/digit-keys';
import { RereadDialog } from '../reread-dialog';
import { FileFormat } from '../file-format';
import { questionsOf } from '../steps';
import { ColumnLine } from './column-line';
import { MissingFields } from './missing-fields';

/** The columns step. It shows which column maps to which field, with open questions at the top. */
export function Columns() {
  const { review, t } = useShared();
  const { layout, questions } = useReview();
  const all = questionsOf(questions, 'columns');
  const inTable = settledInTable(all);
  const asked = all.filter((one) => !inTable.includes(one));
  const [drafts, setDrafts] = useState<Drafts>({});
  const [wanted, setWanted] = useState<MappingChanges>(new Map());
  const [sending, setSending] = useState(false);
  /** While the user is being asked to confirm, the number of cell changes that would be discarded; otherwise 0. */
  const [dropped, setDropped] = useState(0);
  const [fault, setFault] = useState<Fault | null>(null);
  const open = asked.filter((one) => currentAnswer(one, drafts) === null).length;
  useDigits(() => (firstUnanswered(asked, drafts) ?? asked.at(-1))?.id ?? null);
  if (!layout) return null;

  const setField = (column: number, key: string | null) => {
    setWanted(assignField(layout, wanted, column, key));
    setFault(null);
  };
  const send = async (discard = false) => {
    setDropped(0);
    setSending(true);
    try {
      if (wanted.size > 0) await review.updateLayout({ ...drafts, ...layoutAnswers(layout, wanted, inTable) });
      else await review.answer({ ...drafts }, discard);
      setWanted(new Map());
      setDrafts({});
    } catch (error) {
      if (error instanceof Fault && error.code === 'discards_changes') setDropped(error.changes);
      else if (error instanceof Fault && error.endsReview) review.fail(error);
      else setFault(error instanceof Fault ? error : new Fault('lost'));
    }
    setSending(false);
  };
  const decide = () => (layout.changes > 0 ? setDropped(layout.changes) : void send());
  return (
    <main class="column">
      <StepHeading title={t('columns.title')} lead={inTable.length > 0 ? t('columns.unnamed') : <Lead layout={layout} wanted={wanted} />} />
      {asked.map((question) => (
        <Card
          key={question.id}
          question={question}
          layout={layout}
          answer={currentAnswer(question, drafts)}
          onChoose={(value) => setDrafts(applyChoice(question, drafts, value))}
        />
      ))}
      <MissingFields layout={layout} wanted={wanted} asked={new Set(asked.map((one) => one.fieldKey ?? ''))} onGive={setField} />
      <ul class="columns" aria-label={t('columns.list')}>
        {layout.columns.map((column) => (
          <ColumnLine
            key={column.index}
            column={column}
            layout={layout}
            wanted={wanted}
            asked={asked.some((one) => asksAbout(one, column.index))}
            fieldKey={applyMapping(layout, wanted).fieldOf.get(column.index) ?? null}
            onGive={setField}
          />
        ))}
      </ul>
      <FileFormat />
      <FaultNote fault={fault} />
      <Foot
        asked={asked.length + inTable.length}
        open={open}
        drafted={Object.keys(drafts).length}
        wanted={wanted.size}
        blocked={missingRequired(layout, wanted).some((field) => !asked.some((one) => one.id === `column:${field.key}`))}
        sending={sending}
        changes={layout.changes}
        onSend={decide}
        onDiscard={() => setWanted(new Map())}
      />
      {dropped > 0 && <RereadDialog changes={dropped} onDo={() => void send(true)} onClose={() => setDropped(0)} />}
    </main>
  );
}

/** Reports whether a question is about a column. */
function asksAbout(question: Question, column: number): boolean {
  if (question.id === `field:${column}`) return true;
  return question.id.startsWith('column:') && question.choices.some((one) => one.value === String(column));
}

function Lead({ layout, wanted }: { layout: Layout; wanted: MappingChanges }) {
  const { t } = useShared();
  const left = unused(layout, wanted).columns;
  const imported = layout.columns.length - left;
  return <>{t('columns.imported', { n: imported, of: layout.columns.length })}{left > 0 && ` ${t('columns.left', { n: left })}`}</>;
}

interface FootProps {
  readonly asked: number;
  readonly open: number;
  readonly drafted: number;
  readonly wanted: number;
  readonly blocked: boolean;
  readonly sending: boolean;
  readonly changes: number;
  readonly onSend: () => void;
  readonly onDiscard: () => void;
}

function Foot({ asked, open, drafted, wanted, blocked, sending, changes, onSend, onDiscard }: FootProps) {
  const { review, t } = useShared();
  const { steps } = useReview();
  const changed = wanted > 0 || drafted > 0;
  const next = steps.find((one) => one.id !== 'columns' && one.ready && (one.id === 'cells' || one.open > 0));
  if (!changed && asked === 0) {
    return next ? (
      <footer class="column-foot">
        <p class="quiet">{t('columns.fine')}</p>
        <Button look="primary" icon="next" iconLast onClick={() => review.goTo(next.id)}>{t('continue')}</Button>
      </footer>
    ) : null;
  }
  return (
    <footer class="column-foot">
      <p class="quiet">{noteOf()}</p>
      {wanted > 0 && <Button onClick={onDiscard}>{t('columns.discard')}</Button>}
      <Button look="primary" busy={sending} disabled={!changed || blocked} onClick={onSend} icon="next" iconLast>
        {wanted > 0 ? t('columns.apply', { n: wanted }) : t('continue')}
      </Button>
    </footer>
  );

  function noteOf(): string {
    if (blocked) return t('columns.blocked');
    if (wanted > 0) return changes > 0 ? t('columns.drops', { n: changes }) : t('columns.again');
    return open > 0 ? t('decide.open', { n: open }) : t('decide.keys');
  }
}
