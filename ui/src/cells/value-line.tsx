import { reasonOf } from '../api';
import { messageText } from '../i18n/messages';
import type { Locale } from '../i18n/types';
import { Icon, Select } from '../kit';
import { choiceOption, suggestionName } from './choices';
import type { Place } from './columns';
import type { Value } from './table-api';
import type { T } from './texts';
import { ValueText, valueName } from './value-text';
import './value-line.css';

export interface ListedValue extends Value {
  /** The problem of the value; "" if it has none. */
  readonly problem: string;
}

interface Props {
  readonly t: T;
  readonly locale: Locale;
  readonly place: Place;
  readonly value: ListedValue;
  readonly draft: string | null;
  readonly onDraft: (to: string | null) => void;
}

/** A distinct value of a field, and the value that will replace it. */
export function ValueLine({ t, locale, place, value, draft, onDraft }: Props) {
  const closed = value.cut === true || place.column.readOnly === true;
  const [first] = value.suggestions;
  const choices = place.column.choices;
  const name = t('fixer.new', { text: valueName(t, place, value.text) });
  return (
    <div class={`c-line${draft !== null && draft !== value.text ? ' is-replaced' : ''}`}>
      <span class="c-line-text" title={value.problem || undefined}>
        {value.problem && <Icon name="error" size={14} label={value.problem} />}
        <ValueText t={t} place={place} text={value.text} />
      </span>
      <span class="c-count">{locale.number(value.count)}</span>
      <Icon name="arrow" size={12} />
      {closed ? <span class="c-quiet">{t('fixer.closed')}</span> : choices ? (
        <Select
          bare label={name} value={draft} placeholder={first ? suggestionName(place, first) : t('fixer.keep')} searchLabel={t('searchChoices')} nothing={t('noChoice')} onChange={onDraft}
          options={[...(place.required ? [] : [{ value: '', label: t('grid.emptyChoice') }]), ...choices.map(choiceOption)]}
        />
      ) : (
        <input class="c-field" dir="auto" aria-label={name} placeholder={first ? suggestionName(place, first) : t('fixer.keep')} value={draft ?? ''} onInput={(event) => onDraft(event.currentTarget.value || null)} />
      )}
      {!closed && first && draft === null && <button type="button" class="c-fix" onClick={() => onDraft(first.text)} title={messageText(t, reasonOf(first))}>{t('fixer.take')}</button>}
      {draft !== null && <button type="button" class="c-link" onClick={() => onDraft(null)}>{t('fixer.drop')}</button>}
    </div>
  );
}
