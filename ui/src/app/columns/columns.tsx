import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { Fault, type Layout, type LayoutColumn, type Question } from '../../api';
import { Button } from '../../kit';
import { useReview, useShared } from '../context';
import { layoutAnswers, missingRequired, applyMapping, settledInTable, unused, assignField, type MappingChanges } from '../mapping';
import { FaultNote } from '../notices';
import { RereadDialog } from '../reread-dialog';
import { StepHeading } from '../step-heading';
import { Answered } from '../questions/answered';
import { useAnswering, type Answering } from '../questions/answering';
import { Card } from '../questions/card';
import { currentAnswer } from '../questions/drafts';
import { Sending } from '../questions/sending';
import { decidedIn, questionsOf, stepAfter } from '../steps';
import { AddColumn } from './add-column';
import { ColumnLine } from './column-line';
import { derivedAnswers, derivedOf, fileColumns } from './derived';
import { OptionalFields, RequiredFields } from './missing-fields';

/** The columns step. It shows what is left to decide, which column maps to which field, and which columns are not imported. */
export function Columns() {
  const { review, t } = useShared();
  const { facts, layout, questions } = useReview();
  const all = questionsOf(questions, 'columns');
  const inTable = settledInTable(all);
  const asked = all.filter((one) => !inTable.includes(one));
  const [wanted, setWanted] = useState<MappingChanges>(new Map());
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<number | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const answering = useAnswering({
    asked,
    discards: () => layout?.changes ?? 0,
    send: async (drafts, discard) => {
      if (wanted.size > 0) await review.updateLayout({ ...drafts, ...layoutAnswers(layout!, wanted, inTable) });
      else await review.answer({ ...drafts }, discard);
      setWanted(new Map());
    },
  });
  if (!layout) return null;

  /** Removes a column that the person has added. */
  const remove = async (column: number) => {
    setRemoving(null);
    setFault(null);
    try {
      await review.updateLayout(derivedAnswers(derivedOf(layout).filter((_, at) => fileColumns(layout) + at !== column)), 'columns');
    } catch (error) {
      if (error instanceof Fault && error.endsReview) review.fail(error);
      else setFault(error instanceof Fault ? error : new Fault('lost'));
    }
  };
  const askToRemove = (column: number) => (layout.changes > 0 ? setRemoving(column) : void remove(column));
  // Adding or removing a column reads the file again, which would lose what is not applied yet.
  const pending = wanted.size > 0 || Object.keys(answering.drafts).length > 0;

  const setField = (column: number, key: string | null) => {
    setWanted(assignField(layout, wanted, column, key));
    answering.clearFault();
  };
  const { fieldOf } = applyMapping(layout, wanted);
  const line = (column: LayoutColumn) => (
    <ColumnLine key={column.index} column={column} layout={layout} wanted={wanted} fieldKey={fieldOf.get(column.index) ?? null} onGive={setField} onRemove={pending || column.index < fileColumns(layout) ? null : () => askToRemove(column.index)} />
  );
  // Lines stay in their group while the person changes them, so that they do not move away from the pointer.
  const matched = layout.columns.filter((one) => one.field !== null);
  const rest = layout.columns.filter((one) => one.field === null && !asked.some((question) => asksAbout(question, one.index)));
  const [undecided, left] = inTable.length > 0 ? [rest, []] : [[], rest];
  const missing = missingRequired(layout, wanted).filter((field) => !asked.some((one) => one.fieldKey === field.key));
  const decide = asked.length + undecided.length + missing.length > 0;
  return (
    <main class="column is-wide">
      <StepHeading title={t('columns.title')} lead={inTable.length > 0 ? t('columns.unnamed') : answering.open > 0 ? t('decide.lead', { n: answering.open }) : <Lead layout={layout} wanted={wanted} />} />
      {decide && (
        <Group title={t('columns.decide')} n={answering.open + (missing.length || undecided.length)} tone="decide">
          <RequiredFields fields={missing} layout={layout} wanted={wanted} onGive={setField} />
          {asked.map((question) => (
            <Card
              key={question.id}
              question={question}
              layout={layout}
              answer={currentAnswer(question, answering.drafts)}
              onChoose={(value) => answering.choose(question, value)}
            />
          ))}
          {undecided.length > 0 && <ul class="columns" aria-label={t('columns.decide')}>{undecided.map(line)}</ul>}
        </Group>
      )}
      {matched.length > 0 && (
        <Group title={t('columns.matched')} n={matched.length} note={layout.fields.some((field) => field.required || field.requireMapping) && <><span class="k-mark" aria-hidden="true">•</span> {t('columns.required')}</>}>
          <ul class="columns" aria-label={t('columns.matched')}>{matched.map(line)}</ul>
        </Group>
      )}
      {left.length > 0 && (
        <Group title={t('columns.left')} n={left.length}>
          <ul class="columns" aria-label={t('columns.left')}>{left.map(line)}</ul>
        </Group>
      )}
      <FaultNote fault={fault} />
      <div class="column-add"><Button small icon="add" disabled={pending} onClick={() => setAdding(true)}>{t('derive.open')}</Button></div>
      {adding && <AddColumn layout={layout} onClose={() => setAdding(false)} />}
      {removing !== null && <RereadDialog changes={layout.changes} onDo={() => void remove(removing)} onClose={() => setRemoving(null)} />}
      <OptionalFields fields={unused(layout, wanted).fields.filter((field) => !asked.some((one) => one.fieldKey === field.key))} />
      <Answered decided={decidedIn('columns', layout, questions).filter(([id]) => id.startsWith('format:') || (id.startsWith('value:') && facts?.unmatchedValues === null))} />
      <Sending of={answering} />
      <Foot
        asked={asked.length + inTable.length}
        answering={answering}
        wanted={wanted.size}
        blocked={missing.length > 0}
        changes={layout.changes}
        onDiscard={() => setWanted(new Map())}
      />
    </main>
  );
}

/** Reports whether a question is about a column that has no field yet. */
function asksAbout(question: Question, column: number): boolean {
  if (question.id === `field:${column}`) return true;
  return question.id.startsWith('column:') && question.choices.some((one) => one.value === String(column));
}

function Lead({ layout, wanted }: { layout: Layout; wanted: MappingChanges }) {
  const { t } = useShared();
  const imported = layout.columns.length - unused(layout, wanted).columns;
  return <>{t('columns.imported', { n: imported, of: layout.columns.length })}</>;
}

interface GroupProps {
  readonly title: string;
  readonly n: number;
  readonly note?: ComponentChildren;
  readonly tone?: 'decide';
  readonly children: ComponentChildren;
}

/** A group of columns with the same state. */
function Group({ title, n, note, tone, children }: GroupProps) {
  const { locale } = useShared();
  return (
    <section class={`column-group${tone ? ` is-${tone}` : ''}`}>
      <header>
        <h2>{title}{n > 0 && <> <span class="column-count">{locale.number(n)}</span></>}</h2>
        {note && <p class="column-note">{note}</p>}
      </header>
      {children}
    </section>
  );
}

interface FootProps {
  readonly asked: number;
  readonly answering: Answering;
  readonly wanted: number;
  readonly blocked: boolean;
  readonly changes: number;
  readonly onDiscard: () => void;
}

function Foot({ asked, answering, wanted, blocked, changes, onDiscard }: FootProps) {
  const { review, t } = useShared();
  const { steps } = useReview();
  const { drafts, open, sending, onward, send } = answering;
  const changed = wanted > 0 || Object.keys(drafts).length > 0;
  const next = stepAfter(steps, 'columns');
  if (!changed && (asked === 0 || (open === 0 && next !== 'columns'))) {
    return (
      <footer class="column-foot">
        <p class="quiet">{t('columns.fine')}</p>
        <Button look="primary" event="CONTINUE" icon="next" iconLast refTo={onward} disabled={next === 'columns'} onClick={() => review.goTo(next)}>{t('continue')}</Button>
      </footer>
    );
  }
  return (
    <footer class="column-foot">
      <p class="quiet" role="status">{noteOf()}</p>
      {wanted > 0 && <Button onClick={onDiscard}>{t('columns.discard')}</Button>}
      <Button look="primary" event="CONTINUE" refTo={onward} busy={sending} disabled={!changed || blocked} onClick={send} icon="next" iconLast>
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
