import { useId, useState } from 'preact/hooks';
import type { Layout, Question, QuestionChoice } from '../../api';
import { Button, Field, Select } from '../../kit';
import type { Message } from '../../i18n/types';
import { useShared, type T } from '../context';
import { truncate, Raw, ServerText } from '../server-text';
import { areColumnStarts, includesChoice, noneAnswer } from './drafts';
import { Examples, Readings } from './examples';
import { columnLabel, headingOf, choiceLabel } from './headings';
import { explain, isSuggested } from './explanation';

interface Props {
  readonly question: Question;
  readonly layout: Layout | null;
  readonly answer: string | null;
  readonly onChoose: (value: string) => void;
}

/** Number of choices shown initially. */
const few = 5;
/** Maximum number of example values per choice. */
const mostReadings = 3;

/** One question with its explanation and choices. */
export function Card({ question, layout, answer, onChoose }: Props) {
  const { t, locale } = useShared();
  const id = useId();
  const [all, setAll] = useState(false);
  const [starts, setStarts] = useState(answer !== null && !question.choices.some((one) => one.value === answer) ? answer : '');
  const choices = orderOf(question, answer);
  const shown = all ? choices : choices.slice(0, few + (choices.some((one) => one.value === noneAnswer) ? 1 : 0));
  const others = otherColumns(question, layout, t);
  const why = explain(question, t);
  return (
    <section class={`card${answer === null ? '' : ' is-answered'}`} data-question={question.id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{headingOf(question, layout, t)}</h2>
      <p class="card-why"><ServerText message={why.message} /></p>
      <div class="choices" role={question.manyColumns ? 'group' : 'radiogroup'} aria-labelledby={`${id}-title`}>
        {shown.map((choice, at) => (
          <ChoiceLine
            key={choice.value}
            question={question}
            choice={choice}
            label={choiceLabel(question, choice, layout, t, locale)}
            reason={why.reasonOf(choice.value)}
            place={at + 1}
            name={`${id}-choice`}
            best={isSuggested(question, choice.value, why)}
            checked={includesChoice(answer, choice.value, question.manyColumns)}
            examples={examplesOf(question, choice, layout)}
            onChoose={onChoose}
          />
        ))}
      </div>
      {shown.length < choices.length && (
        <Button look="quiet" small icon="down" onClick={() => setAll(true)}>{t('choices.more', { n: choices.length - shown.length })}</Button>
      )}
      {question.id === 'column_starts' && (
        <Field
          class="card-other"
          label={t('choices.otherStarts')}
          hint={t('reading.startsHint')}
          value={starts}
          onInput={(text) => {
            setStarts(text);
            if (areColumnStarts(text)) onChoose(text);
          }}
        />
      )}
      {question.anyColumn && others.length > 0 && (
        <Select
          class="card-other"
          label={t('choices.other')}
          value={question.manyColumns ? null : (others.find((one) => one.value === answer)?.value ?? null)}
          options={others}
          onChange={onChoose}
          placeholder={t('choices.chooseColumn')}
          searchLabel={t('search')}
          nothing={t('search.nothing')}
        />
      )}
    </section>
  );
}

interface LineProps {
  readonly question: Question;
  readonly choice: QuestionChoice;
  readonly label: string;
  readonly reason: Message | null;
  readonly place: number;
  readonly name: string;
  readonly best: boolean;
  readonly checked: boolean;
  readonly examples: readonly string[];
  readonly onChoose: (value: string) => void;
}

function ChoiceLine({ question, choice, label, reason, place, name, best, checked, examples, onChoose }: LineProps) {
  const { t } = useShared();
  return (
    <label class="choice">
      <input
        type={question.manyColumns ? 'checkbox' : 'radio'}
        name={name}
        value={choice.value}
        checked={checked}
        data-place={place}
        onChange={() => onChoose(choice.value)}
      />
      <span class="choice-main">
        <span class="choice-label">
          <Raw text={label} />
          {best && <span class="choice-best">{t('choices.best')}</span>}
        </span>
        {reason && <span class="choice-reason"><ServerText message={reason} /></span>}
        {choice.readings
          ? <Readings list={choice.readings.slice(0, mostReadings)} />
          : examples.length > 0 && <Examples texts={examples} inRow={question.id === 'header_row' || question.id === 'sheet'} />}
      </span>
      {place <= 9 && <kbd class="choice-key" aria-hidden="true">{place}</kbd>}
    </label>
  );
}

/**
 * Returns the choices, likeliest first and "none" last. Selected choices are always among
 * those shown initially.
 */
function orderOf(question: Question, answer: string | null): readonly QuestionChoice[] {
  const real = question.choices.filter((one) => one.value !== noneAnswer);
  const first = real.slice(0, few);
  const taken = real.slice(few).filter((one) => includesChoice(answer, one.value, question.manyColumns));
  const rest = real.slice(few).filter((one) => !taken.includes(one));
  return [...first.slice(0, few - taken.length), ...taken, ...question.choices.filter((one) => one.value === noneAnswer), ...first.slice(few - taken.length), ...rest];
}

/** Returns the examples of a choice. For the detected header row, returns the column names. */
function examplesOf(question: Question, choice: QuestionChoice, layout: Layout | null): readonly string[] {
  const most = question.id === 'header_row' || question.id === 'sheet' ? 6 : mostReadings;
  const given = choice.examples.slice(0, most);
  if (given.length > 0) return given;
  if (question.id === 'header_row' && choice.value === question.choices[0]?.value) return layout?.columns.slice(0, most).map((one) => one.header) ?? [];
  return [];
}

function otherColumns(question: Question, layout: Layout | null, t: T) {
  const offered = new Set(question.choices.map((one) => one.value));
  return (layout?.columns ?? []).filter((one) => !offered.has(String(one.index))).map((one) => ({
    value: String(one.index), label: columnLabel(one, layout, t), note: truncate(one.examples[0] ?? '', 30),
  }));
}
