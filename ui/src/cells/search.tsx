import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field, IconButton, Select } from '../kit';
import { fieldOptions } from './choices';
import { keys } from './shortcuts';
import type { Model } from './model';
import { useStore } from './store';

const pause = 300;

interface Props {
  readonly model: Model;
  readonly field: RefObject<HTMLInputElement | null>;
  /** Whether there is no room for shortcuts. */
  readonly narrow: boolean;
}

/** Searches rows shortly after the user stops typing. */
export function Search({ model, field, narrow }: Props) {
  const { t } = model;
  const wanted = useStore(model.store, (now) => now.wanted);
  const [text, setText] = useState(wanted.search ?? '');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // Keep the text that the user has typed since the last search.
    if (timer.current === undefined) setText(wanted.search ?? '');
  }, [wanted.search]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const stopWaiting = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
  };
  const look = (search: string, column = model.now.wanted.in) => {
    stopWaiting();
    // Compare with the current filter, not with the one of the last render, because typing
    // may be faster than rendering.
    const { search: before = '', in: within, whole: _, ...rest } = model.now.wanted;
    if (search === before && column === within) return;
    void model.filterBy({ ...rest, ...(search && { search, ...(column && { in: column }) }) });
  };
  const type = (typed: string) => {
    setText(typed);
    stopWaiting();
    timer.current = setTimeout(() => look(typed), pause);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') look(text);
    else if (event.key === 'Escape' && text) look('');
    else if (event.key === 'Escape') model.grid?.focus();
    else if (event.key === 'ArrowDown') model.grid?.focus();
    else return;
    event.preventDefault();
    if (event.key === 'Escape') setText('');
  };
  const clear = text && <IconButton icon="close" small label={t('search.clear')} onClick={() => { setText(''); look(''); field.current?.focus(); }} />;
  return (
    <div class="c-search" role="search">
      {text && (
        <Select
          bare label={t('search.in')} class="c-in" value={wanted.in ?? ''} options={fieldOptions(model.places, t('search.all'))}
          placeholder={t('search.all')} searchLabel={t('searchColumns')} nothing={t('noChoice')} onChange={(column) => look(text, column || undefined)}
        />
      )}
      <Field bare label={t('search')} kind="search" icon="search" value={text} onInput={type} onKeyDown={press} refTo={field} placeholder={narrow ? t('search') : `${t('search')} (${model.host.locale.isolate(keys.search)})`} after={clear} class="c-sought" />
    </div>
  );
}
