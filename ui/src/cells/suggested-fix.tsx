import { useEffect, useState } from 'preact/hooks';
import { reasonOf, type Problem } from '../api';
import { visibleText } from '../../grid/visible-text';
import { Icon } from '../kit';
import { messageText } from '../i18n/messages';
import { bestSuggestion, suggestionName } from './choices';
import type { Place } from './columns';
import type { Suggestion } from './table-api';
import { filterOf } from './problem-groups';
import type { Model } from './model';

interface Props {
  readonly model: Model;
  readonly place: Place;
  readonly text: string;
  readonly problem: Pick<Problem, 'level' | 'code'>;
  readonly onTake: (text: string) => void;
}

/** Maximum number of values requested to find the suggestions for this cell. */
const looked = 20;

/** Offers the best suggestion for the text of a cell with one click. Renders nothing if there is none. */
export function SuggestedFix({ model, place, text, problem: { level, code }, onTake }: Props) {
  const { t } = model;
  const [first, setFirst] = useState<Suggestion | null>(null);

  useEffect(() => {
    const asked = new AbortController();
    const filter = { ...filterOf({ key: place.key, level, code }), search: text, in: place.key };
    setFirst(null);
    model.tableApi.values(place.key, filter, looked, asked.signal).then(
      ({ values }) => {
        const found = values.find((value) => value.text === text);
        setFirst((found && bestSuggestion(found)) ?? null);
      },
      () => {}, // the user can still choose a value
    );
    return () => asked.abort();
  }, [place.key, text, level, code]);

  if (!first) return null;
  const name = suggestionName(place, first);
  return (
    <button type="button" class="c-fix c-card-fix" title={messageText(t, reasonOf(first))} aria-label={t('card.take', { from: visibleText(text), to: name })} onClick={() => onTake(first.text)}>
      <Icon name="arrow" size={12} /> <bdi>{name}</bdi> <Icon name="check" size={12} />
    </button>
  );
}
