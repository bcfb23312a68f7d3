import type { RefObject } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { reasonOf } from '../api';
import { Button, Icon, matching, Popover, targetOf, type Option } from '../kit';
import { messageText } from '../i18n/messages';
import { choiceOption, suggestionName } from './choices';
import type { Place } from './columns';
import type { Value } from './table-api';
import type { Model } from './model';
import { valueName } from './value-text';
import type { T } from './texts';

const maxListed = 100;

interface Props {
  readonly model: Model;
  readonly anchor: RefObject<HTMLElement | null>;
  readonly place: Place;
  readonly value: Value;
  readonly onTake: (text: string) => void;
  readonly onClose: () => void;
}

/** A popover to choose or enter the replacement for all equal cells. */
export default function Chooser({ model, anchor, place, value, onTake, onClose }: Props) {
  const { t } = model;
  const onTaken = (text: string) => {
    onClose();
    anchor.current?.focus();
    onTake(text);
  };
  const title = t('chooser.title', { n: value.count, text: valueName(t, place, value.text) });
  return (
    <Popover anchor={anchor} onClose={onClose} label={title} class="c-chooser">
      <p class="c-chooser-title">{title}</p>
      {place.column.choices ? <Listed model={model} place={place} value={value} onTake={onTaken} /> : <Typed model={model} place={place} value={value} onTake={onTaken} />}
    </Popover>
  );
}

type Inner = Pick<Props, 'model' | 'place' | 'value' | 'onTake'>;

function Typed({ model: { t }, place, value, onTake }: Inner) {
  const [text, setText] = useState(value.text);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current!.select(), []);
  const form = (
    <form class="c-chooser-typed" onSubmit={(event) => { event.preventDefault(); onTake(text); }}>
      <input ref={field} class="c-field" dir="auto" aria-label={t('chooser.new', { column: place.label })} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <Button look="primary" small submits disabled={text === value.text || (text === '' && place.required)}>{t(text === '' ? 'chooser.clear' : 'chooser.replace', { n: value.count })}</Button>
    </form>
  );
  if (value.suggestions.length === 0) return form;
  return (
    <>
      {form}
      <ul class="c-values">
        {value.suggestions.map((one) => (
          <li key={one.text} class="c-value">
            <button type="button" class="c-fix" title={messageText(t, reasonOf(one))} onClick={() => onTake(one.text)}>
              <Icon name="arrow" size={12} /> <bdi>{suggestionName(place, one)}</bdi> <Icon name="check" size={12} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Listed({ model: { t }, place, value, onTake }: Inner) {
  const [sought, setSought] = useState('');
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const options = useMemo(() => optionsOf(t, place, value), [place, value]);
  const found = matching(options, sought);
  const listed = found.slice(0, maxListed);
  useEffect(() => field.current!.focus(), []);
  useEffect(() => list.current!.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' }), [at, sought]);
  const press = (event: KeyboardEvent) => {
    const one = listed[at];
    const to = event.key === 'Home' || event.key === 'End' ? null : targetOf(event.key, at, listed.length);
    if (event.key === 'Enter' && one) onTake(one.value);
    else if (to !== null && listed.length > 0) setAt(to);
    else return;
    event.preventDefault();
  };
  return (
    <div class="k-options" onKeyDown={press}>
      <input
        ref={field} class="c-field" role="combobox" dir="auto" aria-label={t('searchChoices')} placeholder={t('searchChoices')} aria-expanded="true" aria-controls={id}
        aria-activedescendant={listed.length > 0 ? `${id}-${at}` : undefined} autocomplete="off" spellcheck={false} value={sought}
        onInput={(event) => { setSought(event.currentTarget.value); setAt(0); }}
      />
      <div ref={list} id={id} role="listbox" aria-label={place.label} class="k-option-list">
        {listed.map((one, n) => (
          <div key={one.value} id={`${id}-${n}`} role="option" class="k-option" aria-selected={n === at} data-active={n === at ? '' : undefined} onPointerMove={() => setAt(n)} onClick={() => onTake(one.value)}>
            <span class="k-option-label" dir="auto">{one.label}</span>
            {one.note && <span class="k-option-note" dir="auto">{one.note}</span>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="k-options-none" role="status">{t('noChoice')}</p>}
      {found.length > listed.length && <p class="k-options-none">{t('moreChoices', { n: found.length - listed.length })}</p>}
    </div>
  );
}

/** Returns the choices of the column, suggestions first. */
function optionsOf(t: T, place: Place, value: Value): Option[] {
  const first = value.suggestions.map((one) => ({ value: one.text, label: suggestionName(place, one), note: messageText(t, reasonOf(one)) || one.text }));
  const suggested = new Set(first.map((one) => one.value));
  const others = place.column.choices!.filter((one) => !suggested.has(one.text));
  return [...first, ...others.map(choiceOption)];
}
