import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button, Dialog, Field, Progress } from '../../kit';
import { messageOf } from '../../api';
import { messageText } from '../../i18n/messages';
import { bestSuggestion } from '../choices';
import { displayName, type Place } from '../columns';
import type { DialogProps } from './props';
import { allRows } from '../filter';
import { useAutoFocus } from '../focus';
import type { Model } from '../model';
import { ValueLine, type ListedValue } from '../value-line';
import { Preview, reportFault, usePreview } from './preview';

const mostValues = 1000;
const mostListed = 200;

/** Lists the distinct values of a field. Each can be replaced. */
export default function Fixer({ model, open: { key }, onClose }: DialogProps<'fixer'>) {
  const { t, host } = model;
  const place = model.places.find((one) => one.key === key)!;
  const first = useAutoFocus();
  const [found, setFound] = useState<Listed | null>(null);
  const [fault, setFault] = useState('');
  const [sought, setSought] = useState('');
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(new Map());

  useEffect(() => {
    const asked = new AbortController();
    valuesOf(model, key, asked.signal).then(setFound, (cause) => asked.signal.aborted || setFault(reportFault(model, cause)));
    return () => asked.abort();
  }, [key]);

  const chosen = [...drafts].filter(([from, to]) => from !== to);
  const look = usePreview(model, JSON.stringify(chosen), chosen.length === 0 ? null : (signal) => model.previewValues(key, chosen, signal));
  const listed = useMemo(() => fitting(place, found?.values ?? [], sought), [found, sought]);
  const put = (from: string, to: string | null) => {
    const next = new Map(drafts);
    if (to === null) next.delete(from);
    else next.set(from, to);
    setDrafts(next);
  };
  // Values for which one suggestion is better than the others, and that have no new value yet.
  const suggested = (found?.values ?? []).filter((value) => value.problem && !value.cut && !drafts.has(value.text) && bestSuggestion(value));
  const takeAll = () => setDrafts(new Map([...drafts, ...suggested.map((value) => [value.text, bestSuggestion(value)!.text] as const)]));
  const cells = look.verdict?.cells ?? 0;
  const apply = () => {
    model.mapValues(key, chosen);
    onClose();
  };
  const foot = (
    <>
      <span class="c-foot-note" role="status">{chosen.length > 0 && t('fixer.chosen', { n: chosen.length })}</span>
      <Button onClick={() => onClose()}>{t('cancel')}</Button>
      <Button look="primary" disabled={look.busy || cells === 0} onClick={apply}>{cells > 0 ? t('replace.apply', { n: cells }) : t('replace.short')}</Button>
    </>
  );
  return (
    <Dialog title={t('fixer.title', { column: place.label })} closeLabel={t('close')} onClose={() => onClose()} foot={foot} wide class="c-dialog c-fixer">
      <Field bare label={t('fixer.search')} placeholder={t('fixer.search')} kind="search" icon="search" value={sought} onInput={setSought} refTo={first} />
      {!found && !fault && <Progress label={t('fixer.loading')} share={null} />}
      {fault && <p class="c-wrong" role="alert">{fault}</p>}
      {suggested.length > 1 && !place.column.readOnly && <Button small onClick={takeAll}>{t('fixer.takeAll', { n: suggested.length })}</Button>}
      {found && (
        <div class="c-lines">
          {listed.slice(0, mostListed).map((value) => (
            <ValueLine key={value.text} t={t} locale={host.locale} place={place} value={value} draft={drafts.get(value.text) ?? null} onDraft={(to) => put(value.text, to)} />
          ))}
          {listed.length === 0 && <p class="c-quiet">{t('noChoice')}</p>}
          {listed.length > mostListed && <p class="c-quiet">{t('moreChoices', { n: listed.length - mostListed })}</p>}
          {found.more > 0 && <p class="c-quiet">{t('values.further', { n: found.more, text: host.locale.number(found.more) })}</p>}
        </div>
      )}
      {chosen.length > 0 && <Preview model={model} look={look} idle="" />}
    </Dialog>
  );
}

interface Listed {
  readonly values: readonly ListedValue[];
  /** Number of values that are not listed. */
  readonly more: number;
}

/** Returns all values. Those with a problem include the problem and suggestions. */
async function valuesOf(model: Model, key: string, signal: AbortSignal): Promise<Listed> {
  const [all, bad] = await Promise.all([
    model.tableApi.values(key, allRows, mostValues, signal),
    model.tableApi.values(key, { show: 'errors', key }, mostValues, signal),
  ]);
  const group = model.now.counts.find((one) => one.key === key && one.level === 'error');
  const problem = group ? messageText(model.t, messageOf(group)) : '';
  const wrong = new Map(bad.values.map((value) => [value.text, { ...value, problem }]));
  return { values: all.values.map((value) => ({ ...value, problem: '', ...wrong.get(value.text), count: value.count })), more: all.more };
}

/**
 * Returns the values whose name or raw text contains the search text. Values with a problem
 * come first.
 */
function fitting(place: Place, values: readonly ListedValue[], sought: string): ListedValue[] {
  const wanted = sought.trim().toLowerCase();
  const found = values.filter(({ text }) => [displayName(place, text), text].some((one) => one.toLowerCase().includes(wanted)));
  return [...found.filter((value) => value.problem), ...found.filter((value) => !value.problem)];
}
