import type { Question } from '../../api';
import { clausesIn, placesIn } from '../../words/service/places';
import { reword } from '../../words/words';
import type { T } from '../context';

/** What a question says of itself, and of each of its choices. */
export interface Explanation {
  readonly text: string;
  /** Whether it is in the language of the page; else it is in the service's own words. */
  readonly own: boolean;
  reasonOf(value: string): string;
}

/**
 * Where a question names its columns with the reasons for each, those that all
 * of them share stand above, and the others beside their choice.
 */
export function explain(question: Pick<Question, 'id' | 'type' | 'message' | 'choices'>, t: T): Explanation {
  const given = new Map(question.choices.map((one) => [one.value, one.reason]));
  const several = question.id.startsWith('column:') ? columnsIn(question.message) : null;
  if (!several) {
    const text = reword(t, question.type, question.message);
    return { text, own: text !== question.message, reasonOf: (value) => given.get(value) ?? '' };
  }
  const { reasons, n } = several;
  const all = [...reasons.values()];
  const shared = all.length > 1 ? all[0]!.filter((reason) => all.every((list) => list.includes(reason))) : [];
  const text = shared.length > 0 ? t('choices.severalAs', { n, why: reword(t, 'why', shared.join('; ')) }) : t('choices.several', { n });
  return { text, own: true, reasonOf: (value) => reasons.get(value)?.filter((one) => !shared.includes(one)).join('; ') || (given.get(value) ?? '') };
}

const lead = /^\d+ columns fit the field "(?:[^"\\]|\\.)*" equally well: /;
const end = /^(?: and (\d+) more)?(?: may (?:each )?hold the field "|\. Keep one of them)/;

/** The reasons for each column that a message names, by the index of the column, and how many there are. */
function columnsIn(message: string): { reasons: Map<string, string[]>; n: number } | null {
  const { places, rest } = placesIn(message.replace(lead, ''));
  const found = end.exec(rest);
  if (places.length === 0 || !found) return null;
  const reasons = new Map(places.map(({ column, why }) => [String(column - 1), [...new Set(clausesIn(why))]]));
  return { reasons, n: places.length + Number(found[1] ?? 0) };
}
