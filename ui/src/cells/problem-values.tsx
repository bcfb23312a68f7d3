import { useEffect, useRef, useState } from 'preact/hooks';
import { reasonOf } from '../api';
import { Icon } from '../kit';
import { messageText } from '../i18n/messages';
import { bestSuggestion, suggestionName } from './choices';
import type { Place } from './columns';
import type { Distinct, Value } from './table-api';
import { filterOf, isMapped, type Group } from './problem-groups';
import { Lazy } from './lazy';
import type { Model } from './model';
import { useStore } from './store';
import { ValueText, valueName } from './value-text';

const few = 8;
const many = 100;

interface Props {
  readonly model: Model;
  readonly group: Group;
  readonly place: Place;
}

/** The distinct values with a problem that are loaded so far. */
interface Listed {
  /** Null until loaded, or if the problem does not belong to a visible column. */
  readonly found: Distinct | null;
  /** Loads more values; null once it has been called. */
  readonly more: (() => void) | null;
}

export function useValues(model: Model, group: Group, isColumn: boolean): Listed {
  const turn = useStore(model.store, (now) => now.turn);
  const [found, setFound] = useState<Distinct | null>(null);
  const [limit, setLimit] = useState(few);

  useEffect(() => {
    if (!isColumn) return;
    const asked = new AbortController();
    model.tableApi.values(group.key, filterOf(group), limit, asked.signal).then(setFound, () => {});
    return () => asked.abort();
  }, [group.key, group.code, group.level, turn, limit]);
  return { found, more: limit === few ? () => setLimit(many) : null };
}

/** Lists the values, most frequent first, each with suggestions. */
export function ValueList({ model, group, place, listed: { found, more } }: Props & { listed: Listed }) {
  const { t, host } = model;
  if (!found) return <div class="c-values is-loading" aria-busy="true" />;
  if (found.values.length === 1 && found.values[0]!.text === '') return null;
  return (
    <>
      <ul class="c-values">
        {found.values.map((value) => <ValueItem key={value.text} model={model} group={group} place={place} value={value} />)}
      </ul>
      {found.more > 0 && (
        more
          ? <button type="button" class="c-link c-more-values" onClick={more}>{t('values.more', { n: found.more })}</button>
          : <p class="c-quiet c-more-values">{t('values.further', { n: found.more, text: host.locale.number(found.more) })}</p>
      )}
    </>
  );
}

function ValueItem({ model, group, place, value }: Props & { value: Value }) {
  const { t, host } = model;
  const anchor = useRef<HTMLButtonElement>(null);
  const [choosing, setChoosing] = useState(false);
  const open = isMapped(group) && !place.column.readOnly && !value.cut;
  const first = bestSuggestion(value);
  const name = first && suggestionName(place, first);
  const put = (text: string) => replaceAll(model, group, value, text);
  const show = () => void model.filterBy({ ...filterOf(group), search: value.text, in: group.key });
  const action = t(place.column.choices ? 'values.choose' : 'values.change');
  const look = value.text === '' || value.cut ? undefined : show;
  return (
    <li class="c-value">
      <button type="button" class="c-value-text" onClick={look} disabled={!look} title={look && t('values.show')}>
        <ValueText t={t} place={place} text={value.text} />
      </button>
      <span class="c-count">{host.locale.number(value.count)}</span>
      {open && first && name && (
        <button type="button" class="c-fix" onClick={() => put(first.text)} title={messageText(t, reasonOf(first))} aria-label={t('values.replace', { n: value.count, from: valueName(t, place, value.text), to: name === first.text ? name : `${name} (${first.text})` })}>
          <Icon name="arrow" size={12} /> <bdi>{name}</bdi> <Icon name="check" size={12} />
        </button>
      )}
      {open && (
        <button
          ref={anchor} type="button" class={first ? 'c-other' : 'c-choose'} aria-haspopup="dialog" aria-expanded={choosing}
          aria-label={first ? t('values.chooseFor', { text: valueName(t, place, value.text) }) : `${action}: ${valueName(t, place, value.text)}`} onClick={() => setChoosing(!choosing)}
        >
          {first ? <Icon name="down" size={12} /> : action}
        </button>
      )}
      {!isMapped(group) && look && <button type="button" class="c-choose" onClick={look}>{t('values.showRows', { n: value.count })}</button>}
      {choosing && <Lazy kind="chooser" model={model} anchor={anchor} place={place} value={value} onTake={put} onClose={() => setChoosing(false)} />}
    </li>
  );
}

function replaceAll(model: Model, group: Group, value: Value, text: string): void {
  const { t } = model;
  model.applyEdit(
    { kind: 'mapValue', keys: [group.key], find: value.text, text, where: filterOf(group) },
    ({ cells }) => (cells === 0 ? t('nothingChanged') : t('replacedCells', { n: cells })),
  );
}
