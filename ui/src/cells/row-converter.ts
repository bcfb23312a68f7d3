import { messageOf, type Cell as WireCell, type Problem as WireProblem, type Row as WireRow } from '../api';
import type { Message } from '../i18n/types';
import type { Cell, Problem, Row } from '../../grid';
import { matchesFilter, isFiltered, type Filter } from './filter';
import type { OriginalTexts } from './original-texts';
import type { Place } from './columns';

const none: readonly Problem[] = [];

/** Renders a message in the language of the page. */
export type MessageText = (message: Message) => string;

/** Converts rows from the server to rows of the grid. */
export class RowConverter {
  readonly #places: readonly Place[];
  readonly #originals: OriginalTexts;
  readonly #textOf: MessageText;
  /** Field keys by cell index in the server's rows. Hidden fields are missing. */
  readonly #keys: string[] = [];
  /** Display names of values, by cell index in the server's rows. */
  readonly #names: ReadonlyMap<string, string>[] = [];

  constructor(places: readonly Place[], originals: OriginalTexts, textOf: MessageText = ({ text = '' }) => text) {
    this.#textOf = textOf;
    this.#places = places;
    this.#originals = originals;
    for (const { at, key, column } of places) {
      this.#keys[at] = key;
      // The server also finds countries by their English names.
      if (column.kind === 'select' || column.kind === 'multi') this.#names[at] = new Map(column.choices?.map(({ text, label, also }) => [text, `${label ?? ''}\n${also ?? ''}`]));
    }
  }

  convert(came: WireRow, filter: Filter): Row {
    const past = isFiltered(filter) && !matchesFilter(filter, came, this.#keys, (at, cell) => this.#named(at, cell));
    return {
      id: came.id,
      number: Number(came.id) + 1,
      version: came.version,
      ...(came.line && { line: came.line }),
      cells: this.#places.map((place) => this.#cell(came, place)),
      ...(came.problems && { problems: this.#problems(came.problems) }),
      ...(past && { past }),
    };
  }

  #named(at: number, { text, value }: WireCellWithCut): string {
    const names = this.#names[at];
    return names ? (elements(value) ?? [text]).map((one) => names.get(one) ?? '').join('\n') : '';
  }

  /**
   * Returns a copy of the row with some text replaced, as a preliminary result until the
   * server responds.
   */
  withTexts(row: Row, texts: ReadonlyMap<string, string>, version: number): Row {
    const cells = row.cells.map((cell, at) => {
      const text = texts.get(this.#places[at]!.column.key);
      return text === undefined || text === cell.text ? cell : { text, problems: none, changed: true };
    });
    return { ...row, version, cells };
  }

  #problems(list: readonly WireProblem[]): readonly Problem[] {
    return list.map((one) => ({ level: one.level, code: one.code, message: this.#textOf(messageOf(one)) }));
  }

  #cell(came: WireRow, place: Place): Cell {
    const cell: WireCellWithCut = came.cells[place.at] ?? empty;
    const problems = cell.problems ? this.#problems(cell.problems) : none;
    const { text } = cell;
    const value = place.column.kind === 'multi' ? joined(cell.value, place.column.separator) : cell.value;
    const sent = cell.sent === undefined || cell.sent === value ? {} : { sent: cell.sent };
    const marks = { ...(cell.cut && { cut: true }), ...(cell.made && { made: true }) };
    if (came.version === 0 && problems === none) return value === null || value === text ? { text, problems, ...sent, ...marks } : { text, problems, value, ...sent, ...marks };
    const changed = this.#originals.isChanged(came, place, text);
    return {
      text,
      problems,
      ...(value !== null && value !== undefined && value !== text && { value }),
      ...sent,
      ...(changed && { changed }),
      ...marks,
    };
  }
}

/** Joins several values with the separator. */
function joined(value: string | null, separator = ','): string | null {
  return elements(value)?.join(separator) ?? value;
}

/** Parses a JSON list of several values. Returns null for a single value. */
function elements(value: string | null): string[] | null {
  if (!value?.startsWith('[')) return null;
  try {
    return (JSON.parse(value) as unknown[]).map(String);
  } catch {
    return null;
  }
}

const empty: WireCellWithCut = { text: '', value: null };

/** A cell whose text may be truncated. */
type WireCellWithCut = WireCell & { readonly cut?: boolean };
