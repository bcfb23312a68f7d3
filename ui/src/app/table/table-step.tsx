import type { ComponentChildren } from 'preact';
import type { Question } from '../../api';
import { Button, Spinner } from '../../kit';
import { useReview, useShared } from '../context';
import { notesOf } from '../file-notes';
import { Notices } from '../notices';
import { Answered } from '../questions/answered';
import { useAnswering } from '../questions/answering';
import { Card } from '../questions/card';
import { currentAnswer, type Drafts } from '../questions/drafts';
import { headingOf } from '../questions/headings';
import { Sending } from '../questions/sending';
import { ServerText } from '../server-text';
import { explain } from '../questions/explanation';
import { StepHeading } from '../step-heading';
import { decidedIn, questionsOf, stepAfter } from '../steps';
import { FileDetails } from './file-details';
import { useFileTop, type FileTop } from './file-top';
import { FileView } from './file-view';

/** IDs of the answers that the user gives in the view of the file. */
const inView = new Set(['sheet', 'header_row']);

/** The table step. It shows the top of the file, in which the user chooses the sheet and the header row. */
export function TableStep() {
  const { review, t } = useShared();
  const { facts, layout, questions } = useReview();
  const asked = questionsOf(questions, 'table');
  const top = useFileTop(layout?.answers);
  const sheetAsked = asked.some((one) => one.id === 'sheet' && one.answer === null);
  /** Adds the sheet in view, if the file was not read because it has several. */
  const complete = (drafts: Drafts): Drafts => (sheetAsked && top.preview && drafts.sheet === undefined ? { ...drafts, sheet: top.preview.sheets[top.preview.sheet]!.answer } : drafts);
  const isBeyond = (drafts: Drafts) => Object.entries(drafts).some(([id, answer]) => isBeyondChoices(asked, id, answer));
  const answering = useAnswering({
    asked,
    discards: (drafts) => (isBeyond(complete(drafts)) ? layout?.changes ?? 0 : 0),
    send: (drafts, discard) => (isBeyond(complete(drafts)) ? review.updateLayout(complete(drafts)) : review.answer(complete(drafts), discard)),
  });
  const { drafts, setDrafts } = answering;
  const cards = asked.filter((one) => top.failed || !inView.has(one.id));
  const { header_row: header, ...others } = drafts;
  const now = layout?.evidence.find((one) => one.choice === 'header row');
  const known = asked.find((one) => one.id === 'header_row');
  const isImported = !sheetAsked && top.preview?.sheet === top.imported;
  const onSheet = (at: number) => {
    const { sheet: _, ...rest } = others;
    setDrafts(at === top.imported && !sheetAsked ? rest : { ...rest, sheet: top.preview!.sheets[at]!.answer });
    top.show(at);
  };
  const onHeader = (value: string) => {
    if (known && value !== '') answering.choose(known, value);
    else setDrafts(value === '' || (isImported && value === now?.value) ? others : { ...drafts, header_row: value });
  };
  const open = answering.open - (sheetAsked && drafts.sheet === undefined && top.preview ? 1 : 0);
  return (
    <main class="column is-wide">
      <StepHeading title={t('table.title')} lead={asked.length === 0 ? t('table.lead') : cards.length > 0 && open > 0 ? t('decide.lead', { n: open }) : undefined} />
      {asked.filter((one) => inView.has(one.id) && !top.failed).map((question) => <Prompt key={question.id} question={question} />)}
      <View top={top}>
        {(preview) => (
          <FileView
            preview={preview}
            busy={top.busy}
            onSheet={onSheet}
            header={header ?? (isImported ? known ? known.answer ?? '' : now?.value ?? '' : '')}
            onHeader={now?.value === 'names' ? null : onHeader}
            question={known}
          />
        )}
      </View>
      {cards.map((question) => (
        <Card key={question.id} question={question} layout={layout} answer={currentAnswer(question, drafts)} onChoose={(value) => answering.choose(question, value)} />
      ))}
      <Notices notices={facts ? notesOf(facts) : []} />
      <Answered decided={decidedIn('table', layout, questions).filter(([id]) => top.failed || !inView.has(id))} />
      <FileDetails />
      <Sending of={answering} />
      <Foot drafts={complete(drafts)} asked={asked.length > 0} open={open} answering={answering} sheet={sheetAsked ? top.preview?.sheets[top.preview.sheet]?.name : undefined} />
    </main>
  );
}

/** Reports whether an answer was given in the view of the file and is not among the choices of an open question. */
function isBeyondChoices(asked: readonly Question[], id: string, answer: string): boolean {
  const question = asked.find((one) => one.id === id);
  return !question || (inView.has(id) && !question.choices.some((one) => one.value === answer));
}

function View({ top, children }: { top: FileTop; children: (preview: NonNullable<FileTop['preview']>) => ComponentChildren }) {
  const { t } = useShared();
  if (top.failed) return <p role="alert">{t('top.failed')}</p>;
  if (!top.preview) return <p class="dialog-wait"><Spinner /> {t('top.loading')}</p>;
  return <section class="table-view">{children(top.preview)}</section>;
}

/** A question that is answered in the view of the file. */
function Prompt({ question }: { question: Question }) {
  const { t } = useShared();
  const { layout } = useReview();
  return (
    <div class="table-ask">
      <h2>{headingOf(question, layout, t)}</h2>
      <p class="card-why"><ServerText message={explain(question, t).message} /></p>
    </div>
  );
}

interface FootProps {
  readonly drafts: Drafts;
  readonly asked: boolean;
  readonly open: number;
  readonly answering: ReturnType<typeof useAnswering>;
  /** The name of the sheet to import, if that is a question. */
  readonly sheet: string | undefined;
}

function Foot({ drafts, asked, open, answering, sheet }: FootProps) {
  const { review, t } = useShared();
  const { steps, layout } = useReview();
  const changed = Object.keys(drafts).length > 0;
  const next = stepAfter(steps, 'table');
  const changes = layout?.changes ?? 0;
  const note = () => {
    if (!asked && changed) return changes > 0 ? t('columns.drops', { n: changes }) : t('columns.again');
    return open > 0 ? t('decide.open', { n: open }) : '';
  };
  return (
    <footer class="column-foot">
      <p class="quiet" role="status">{note()}</p>
      {!asked && changed && <Button onClick={() => answering.setDrafts({})}>{t('columns.discard')}</Button>}
      <Button
        look="primary"
        event="HEADER_SELECT_CONTINUE"
        refTo={answering.onward}
        busy={answering.sending}
        disabled={changed ? false : open > 0 || next === 'table'}
        onClick={changed ? answering.send : () => review.goTo(next)}
        icon="next"
        iconLast
      >
        {sheet !== undefined && open === 0 ? t('table.useSheet', { sheet }) : !asked && changed ? t('reading.again') : t('continue')}
      </Button>
    </footer>
  );
}
