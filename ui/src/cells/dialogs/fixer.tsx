import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button, Dialog, Field, Icon, Progress, Select } from '../../kit';
import { reword } from '../../words/words';
import { optionOf } from '../choices';
import { choiceName, nameIn, type Place } from '../columns';
import type { Distinct, Value } from '../desk';
import type { DialogProps } from '../dialogs';
import { everything } from '../filter';
import { useFirst } from '../focus';
import { isCut } from '../long';
import type { Model } from '../model';
import { ValueText, valueName } from '../value-text';
import { Preview, sentence, useLook } from './preview';

const mostValues = 1000;
const mostListed = 200;

/** All different texts of a field, and what each of them is to become. */
export default function Fixer({ model, open: { key }, onClose }: DialogProps<'fixer'>) {
  const { t, frame } = model;
  const place = model.places.find((one) => one.key === key)!;
  const first = useFirst();
  const [found, setFound] = useState<Distinct | null>(null);
  const [fault, setFault] = useState('');
  const [sought, setSought] = useState('');
  const [wishes, setWishes] = useState<ReadonlyMap<string, string>>(new Map());

  useEffect(() => {
    const asked = new AbortController();
    valuesOf(model, key, asked.signal).then(setFound, (cause) => asked.signal.aborted || setFault(sentence(model, cause)));
    return () => asked.abort();
  }, [key]);

  const told = [...wishes].filter(([from, to]) => from !== to);
  const look = useLook(model, JSON.stringify(told), told.length === 0 ? null : (signal) => model.previewValues(key, told, signal));
  const listed = useMemo(() => fitting(place, found?.values ?? [], sought), [found, sought]);
  const put = (from: string, to: string | null) => {
    const next = new Map(wishes);
    if (to === null) next.delete(from);
    else next.set(from, to);
    setWishes(next);
  };
  const cells = look.verdict?.cells ?? 0;
  const apply = () => {
    model.mapValues(key, told);
    onClose();
  };
  const foot = (
    <>
      <span class="c-foot-note" role="status">{told.length > 0 && t('fixer.chosen', { n: told.length })}</span>
      <Button onClick={() => onClose()}>{t('cancel')}</Button>
      <Button look="primary" disabled={look.busy || cells === 0} onClick={apply}>{cells > 0 ? t('replace.apply', { n: cells }) : t('replace.short')}</Button>
    </>
  );
  return (
    <Dialog title={t('fixer.title', { column: place.label })} closeLabel={t('close')} onClose={() => onClose()} foot={foot} wide class="c-dialog c-fixer">
      <Field bare label={t('fixer.search')} placeholder={t('fixer.search')} kind="search" icon="search" value={sought} onInput={setSought} refTo={first} />
      {!found && !fault && <Progress label={t('fixer.loading')} share={null} />}
      {fault && <p class="c-wrong" role="alert">{fault}</p>}
      {found && (
        <div class="c-fixer-list">
          {listed.slice(0, mostListed).map((value) => (
            <Line key={value.text} model={model} place={place} value={value} wish={wishes.get(value.text) ?? null} onWish={(to) => put(value.text, to)} />
          ))}
          {listed.length === 0 && <p class="c-quiet">{t('noChoice')}</p>}
          {listed.length > mostListed && <p class="c-quiet">{t('moreChoices', { n: listed.length - mostListed })}</p>}
          {found.more > 0 && <p class="c-quiet">{t('values.further', { n: found.more, text: frame.locale.number(found.more) })}</p>}
        </div>
      )}
      {told.length > 0 && <Preview model={model} look={look} idle="" />}
    </Dialog>
  );
}

interface LineProps {
  readonly model: Model;
  readonly place: Place;
  readonly value: Value;
  readonly wish: string | null;
  readonly onWish: (to: string | null) => void;
}

function Line({ model: { t, frame }, place, value, wish, onWish }: LineProps) {
  const closed = isCut(value.text) || place.column.readOnly === true;
  const [first] = value.suggestions;
  const choices = place.column.choices;
  const name = t('fixer.new', { text: valueName(t, place, value.text) });
  return (
    <div class={`c-line${wish !== null && wish !== value.text ? ' is-told' : ''}`}>
      <span class="c-line-text" title={value.message || undefined}>
        {value.message && <Icon name="error" size={14} label={value.message} />}
        <ValueText t={t} place={place} text={value.text} />
      </span>
      <span class="c-count">{frame.locale.number(value.count)}</span>
      <Icon name="arrow" size={12} />
      {closed ? <span class="c-quiet">{t('fixer.closed')}</span> : choices ? (
        <Select
          bare label={name} value={wish} placeholder={first ? choiceName(place, first.text) ?? (first.label || first.text) : t('fixer.keep')} searchLabel={t('searchChoices')} nothing={t('noChoice')} onChange={onWish}
          options={[{ value: '', label: t('grid.emptyChoice') }, ...choices.map(optionOf)]}
        />
      ) : (
        <input class="c-field" dir="auto" aria-label={name} placeholder={t('fixer.keep')} value={wish ?? ''} onInput={(event) => onWish(event.currentTarget.value || null)} />
      )}
      {!closed && first && wish === null && <button type="button" class="c-fix" onClick={() => onWish(first.text)} title={reword(t, 'why', first.reason)}>{t('fixer.take')}</button>}
      {wish !== null && <button type="button" class="c-link" onClick={() => onWish(null)}>{t('fixer.drop')}</button>}
    </div>
  );
}

/** All values; those with a problem come with what they may mean, and with what is wrong. */
async function valuesOf(model: Model, key: string, signal: AbortSignal): Promise<Distinct> {
  const [all, bad] = await Promise.all([
    model.desk.values(key, everything, mostValues, signal),
    model.desk.values(key, { show: 'errors', key }, mostValues, signal),
  ]);
  const message = model.now.counts.find((group) => group.key === key && group.level === 'error')?.message ?? '';
  const wrong = new Map(bad.values.map((value) => [value.text, { ...value, message: value.message || message }]));
  return { values: all.values.map((value) => ({ ...value, ...wrong.get(value.text), count: value.count })), more: all.more };
}

/** Those whose name or text holds what is sought, those with a problem first. */
function fitting(place: Place, values: readonly Value[], sought: string): Value[] {
  const wanted = sought.trim().toLowerCase();
  const found = values.filter(({ text }) => [nameIn(place, text), text].some((one) => one.toLowerCase().includes(wanted)));
  return [...found.filter((value) => value.message), ...found.filter((value) => !value.message)];
}
