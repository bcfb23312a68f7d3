import { useEffect, useState } from 'preact/hooks';
import { Fault, messageOf } from '../../api';
import { placesOf, type Place } from '../../cells/columns';
import { filterOf } from '../../cells/problem-groups';
import { createTableApi } from '../../cells/table-api';
import type { ListedValue } from '../../cells/value-line';
import { messageText } from '../../i18n/messages';
import { useReview, useShared } from '../context';

/** The values of a field that match none of its options. */
export interface Unmatched {
  readonly place: Place;
  readonly values: readonly ListedValue[];
  /** Number of values that are not listed. */
  readonly more: number;
}

/** Maximum number of values listed of each field. */
const listed = 200;

/** Maximum length of a value in an answer, in bytes. */
const maxText = 1024;

/** The types of fields whose values are options. */
const types = ['select', 'country', 'us-state-territory'];

interface UnmatchedValues {
  /** The fields with such values; null until they are loaded. */
  readonly fields: readonly Unmatched[] | null;
  /** All fields that have options. */
  readonly places: readonly Place[];
  readonly fault: Fault | null;
  readonly retry: () => void;
}

/** Reports whether a value is too long to be decided for all its cells. */
function isTooLong(text: string): boolean {
  return new TextEncoder().encode(text).length > maxText;
}

/** Loads the values that match no option of their fields. */
export function useUnmatched(): UnmatchedValues {
  const { review, t, locale } = useShared();
  const { reading } = useReview();
  const [fields, setFields] = useState<readonly Unmatched[] | null>(null);
  const [places, setPlaces] = useState<readonly Place[]>([]);
  const [fault, setFault] = useState<Fault | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const asked = new AbortController();
    const table = createTableApi(review.api);
    const load = async () => {
      const [{ columns }, counts] = await Promise.all([table.table(), table.counts()]);
      const own = placesOf(columns, locale.tag).filter((place) => types.includes(place.type) && place.part === 0 && place.column.choices && !place.column.readOnly);
      setPlaces(own);
      const found = own.flatMap((place) => {
        const group = counts.find(({ key, code, level }) => key === place.key && level === 'error' && code === place.type.replaceAll('-', '_'));
        return group ? [{ place, group }] : [];
      });
      return Promise.all(found.map(async ({ place, group }) => {
        const { values, more } = await table.values(place.key, filterOf(group), listed, asked.signal);
        const problem = messageText(t, messageOf(group));
        return { place, more, values: values.map((value) => ({ ...value, problem, cut: value.cut === true || isTooLong(value.text) })) };
      }));
    };
    setFault(null);
    load().then(setFields, (error: unknown) => {
      if (asked.signal.aborted) return;
      if (error instanceof Fault && error.endsReview) review.fail(error);
      else setFault(error instanceof Fault ? error : new Fault('lost'));
    });
    return () => asked.abort();
  }, [turn, reading]);
  return { fields, places, fault, retry: () => setTurn(turn + 1) };
}
