import { useState } from 'preact/hooks';
import { Fault } from '../../api';
import { bestSuggestion } from '../../cells/choices';
import { choiceName } from '../../cells/columns';
import { ValueLine, type ListedValue } from '../../cells/value-line';
import '../../cells/cells.css';
import { Button, Progress } from '../../kit';
import { useReview, useShared } from '../context';
import { FaultNote } from '../notices';
import { Answered } from '../questions/answered';
import { RereadDialog } from '../reread-dialog';
import { StepHeading } from '../step-heading';
import { decidedIn } from '../steps';
import { useUnmatched, type Unmatched } from './unmatched';

/** Removes the spaces around a value, which the server does not compare. It does not count U+FEFF as a space. */
function trimmed(text: string): string {
  return text.replace(/^(?:(?!\ufeff)[\s\u0085])+|(?:(?!\ufeff)[\s\u0085])+$/g, '');
}

/** The replacements that the person has chosen, by field key and by value without spaces around it. */
type Drafts = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * The step in which a person decides what values mean that match no option of their field. The
 * decisions are answers about the file, so it is read again, and later imports can use them.
 */
export function ValuesStep() {
  const { review, t, locale } = useShared();
  const { facts, layout, questions } = useReview();
  const { fields, places, fault: unloaded, retry } = useUnmatched();
  const [drafts, setDrafts] = useState<Drafts>(new Map());
  const [sending, setSending] = useState(false);
  const [asking, setAsking] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);

  const draftOf = (key: string, text: string) => drafts.get(key)?.get(trimmed(text)) ?? null;
  const put = (key: string, texts: readonly (readonly [string, string | null])[]) => {
    const own = new Map(drafts.get(key));
    for (const [text, to] of texts) {
      if (to === null) own.delete(trimmed(text));
      else own.set(trimmed(text), to);
    }
    setDrafts(new Map(drafts).set(key, own));
    setFault(null);
  };
  /** Returns the values for which one suggestion is better than the others, and that have no replacement yet. */
  const suggested = ({ place, values }: Unmatched) => values.filter((value) => !value.cut && draftOf(place.key, value.text) === null && bestSuggestion(value));
  const chosen = [...drafts.values()].reduce((sum, own) => sum + own.size, 0);
  const left = fields?.reduce((sum, { values, more }) => sum + values.length + more, 0) ?? facts?.unmatchedValues ?? 0;
  const changes = layout?.changes ?? 0;

  const send = async () => {
    setAsking(false);
    setSending(true);
    setFault(null);
    try {
      const answers = [...drafts].flatMap(([key, own]) => [...own].map(([text, to]) => [`value:${key}:${text}`, to]));
      await review.updateLayout(Object.fromEntries(answers) as Record<string, string>, 'cells');
    } catch (error) {
      if (error instanceof Fault && error.endsReview) review.fail(error);
      else setFault(error instanceof Fault ? error : new Fault('lost'));
      setSending(false);
    }
  };
  /** Returns the value of the file in an earlier answer, and what it means. */
  const matchOf = (id: string, value: string) => {
    const place = places.find((one) => id.startsWith(`value:${one.key}:`));
    const text = id.slice(`value:${place?.key}:`.length);
    return place ? [`${place.label}: ${text}`, value === '' ? t('grid.emptyChoice') : choiceName(place, value) ?? value] as const : [id.slice('value:'.length), value] as const;
  };
  const line = ({ place }: Unmatched, value: ListedValue) => (
    <ValueLine key={value.text} t={t} locale={locale} place={place} value={value} draft={draftOf(place.key, value.text)} onDraft={(to) => put(place.key, [[value.text, to]])} />
  );
  return (
    <main class="column is-wide values" aria-busy={fields === null}>
      <StepHeading title={t('match.title')} lead={left > 0 ? t('match.lead') : fields && t('match.none')} />
      {!fields && !unloaded && <Progress label={t('fixer.loading')} share={null} />}
      {unloaded && <div><FaultNote fault={unloaded} /><Button onClick={retry}>{t('tryAgain')}</Button></div>}
      {fields?.filter(({ values }) => values.length > 0).map((field) => {
        const taken = suggested(field);
        return (
          <section key={field.place.key} class="column-group">
            <header>
              <h2><bdi>{field.place.label}</bdi> <span class="column-count">{locale.number(field.values.length + field.more)}</span></h2>
              {taken.length > 1 && <Button small onClick={() => put(field.place.key, taken.map((value) => [value.text, bestSuggestion(value)!.text]))}>{t('fixer.takeAll', { n: taken.length })}</Button>}
            </header>
            <div class="c-lines values-list">{field.values.map((value) => line(field, value))}</div>
            {field.more > 0 && <p class="quiet">{t('values.more', { n: field.more })}</p>}
          </section>
        );
      })}
      <Answered decided={decidedIn('columns', layout, questions).filter(([id]) => id.startsWith('value:'))} textOf={matchOf} />
      <FaultNote fault={fault} />
      <footer class="column-foot">
        <p class="quiet" role="status">{chosen > 0 ? (changes > 0 ? t('columns.drops', { n: changes }) : t('columns.again')) : ''}</p>
        {chosen > 0 && <Button onClick={() => setDrafts(new Map())} disabled={sending}>{t('columns.discard')}</Button>}
        <Button look="primary" event="CONTINUE" icon="next" iconLast busy={sending} onClick={() => (chosen === 0 ? review.pass('values') : changes > 0 ? setAsking(true) : void send())}>
          {chosen > 0 ? t('match.apply', { n: chosen }) : t('continue')}
        </Button>
      </footer>
      {asking && <RereadDialog changes={changes} onDo={() => void send()} onClose={() => setAsking(false)} />}
    </main>
  );
}
