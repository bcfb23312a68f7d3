import { useRef, useState } from 'preact/hooks';
import type { ComponentChildren, FunctionComponent } from 'preact';
import { Fault, type Question } from '../../api';
import { Button } from '../../kit';
import { useReview, useShared, type Key } from '../context';
import { decidedIn, questionsOf, type StepId } from '../steps';
import { Card } from './card';
import { Answered } from './answered';
import { applyChoice, currentAnswer, firstUnanswered, type Drafts } from './drafts';
import { useDigits } from './digit-keys';
import { FaultNote } from '../notices';
import { StepHeading } from '../step-heading';
import { RereadDialog } from '../reread-dialog';

interface Props {
  readonly step: Exclude<StepId, 'cells'>;
  readonly title: Key;
  /** Shows the part of the file that the first question is about, and accepts answers that are not among its choices. */
  readonly picker?: FunctionComponent<{ value: string; onChange: (value: string) => void }>;
  /** Content below the questions. */
  readonly children?: ComponentChildren;
}

/** A step of questions, one per card, with a button to continue. */
export function QuestionStep({ step, title, picker: Picker, children }: Props) {
  const { review, t } = useShared();
  const { questions, layout } = useReview();
  const asked = questionsOf(questions, step);
  const [drafts, setDrafts] = useState<Drafts>({});
  const [sending, setSending] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  /** While the user is being asked to confirm, the number of cell changes that would be discarded; otherwise 0. */
  const [dropped, setDropped] = useState(0);
  const onward = useRef<HTMLButtonElement>(null);
  const open = asked.filter((one) => currentAnswer(one, drafts) === null).length;
  const changed = asked.some((one) => drafts[one.id] !== undefined && drafts[one.id] !== one.answer);
  useDigits(() => (firstUnanswered(asked, drafts) ?? asked.at(-1))?.id ?? null);

  const onChoose = (question: Question, value: string) => {
    const next = applyChoice(question, drafts, value);
    setDrafts(next);
    setFault(null);
    // Reveal the next question, because many users answer one after another.
    if (!question.manyColumns && currentAnswer(question, drafts) === null) reveal(firstUnanswered(asked, next), onward.current);
  };
  const send = async (discard = false) => {
    setDropped(0);
    setSending(true);
    setFault(null);
    try {
      if (Picker && asked.some((one) => isBeyondChoices(one, drafts[one.id]))) await review.updateLayout({ ...drafts });
      else await review.answer({ ...drafts }, discard);
    } catch (error) {
      if (error instanceof Fault && error.code === 'discards_changes') setDropped(error.changes);
      else if (error instanceof Fault && error.endsReview) review.fail(error);
      else setFault(error instanceof Fault ? error : new Fault('lost'));
    }
    setSending(false);
  };
  const goOn = () => (changed ? void send() : review.goTo(followingStep(review.state, step)));
  return (
    <main class="column">
      <StepHeading title={t(title)} lead={open > 0 ? t('decide.lead', { n: open }) : asked.length > 0 ? t('decide.ready') : t('decide.done')} />
      {asked.map((question) => (
        <Card key={question.id} question={question} layout={layout} answer={currentAnswer(question, drafts)} onChoose={(value) => onChoose(question, value)} />
      ))}
      {Picker && asked[0] && (
        <section class="card">
          <Picker value={currentAnswer(asked[0], drafts) ?? ''} onChange={(value) => setDrafts(applyChoice(asked[0]!, drafts, value))} />
        </section>
      )}
      <Answered step={step} decided={decidedIn(step, layout, questions)} />
      {children}
      <FaultNote fault={fault} />
      {asked.length > 0 && (
        <footer class="column-foot">
          <p class="quiet">{open > 0 ? t('decide.open', { n: open }) : t('decide.keys')}</p>
          <Button look="primary" refTo={onward} busy={sending} disabled={open > 0 && !changed} onClick={goOn} icon="next" iconLast>
            {t('continue')}
          </Button>
        </footer>
      )}
      {dropped > 0 && <RereadDialog changes={dropped} onDo={() => void send(true)} onClose={() => setDropped(0)} />}
    </main>
  );
}

/** Reports whether an answer was picked in the file instead of among the choices of its question. */
function isBeyondChoices(question: Question, answer: string | undefined): boolean {
  return answer !== undefined && !question.anyColumn && !question.manyColumns && !question.choices.some((one) => one.value === answer);
}

/** Returns the next step to open, or the same step if there is none. */
function followingStep({ steps }: { steps: readonly { id: StepId; ready: boolean; open: number }[] }, step: StepId): StepId {
  const at = steps.findIndex((one) => one.id === step);
  const ready = steps.slice(at + 1).filter((one) => one.ready);
  return (ready.find((one) => one.open > 0) ?? ready[0])?.id ?? step;
}

/**
 * Scrolls to the next open question and focuses its first choice. If no question is open,
 * focuses the button to continue.
 */
function reveal(question: Question | null, onward: HTMLButtonElement | null): void {
  requestAnimationFrame(() => {
    const cards = [...document.querySelectorAll<HTMLElement>('[data-question]')];
    const card = cards.find((one) => one.dataset.question === question?.id);
    const target = card?.querySelector<HTMLElement>('input') ?? onward;
    card?.scrollIntoView({ block: 'nearest' });
    target?.focus({ preventScroll: card !== undefined });
  });
}
