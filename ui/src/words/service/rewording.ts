import type { Catalogue, Locale, Reword, Say, Values } from '../types';
import originals from './en.json';
import { clausesIn, placesIn, unquoted } from './places';

interface Slot {
  readonly name: string;
  /** What stands between quotes. */
  readonly quoted: boolean;
}

interface Pattern {
  readonly key: string;
  readonly slots: readonly Slot[];
  readonly whole: RegExp;
}

// Codes whose sentences stand under another name: those before the first point of a key.
const named: ReadonlyMap<string, string> = new Map(Object.entries({
  unique_case_insensitive: 'unique', unique_with: 'unique', regex_match: 'regex', regex_exclude: 'regex',
  date: 'moment', datetime: 'moment', time: 'moment', checkbox: 'select', multi_select: 'select',
  us_zip_code: 'zip', us_state_territory: 'state', phone_number: 'phone',
}));

/** The longest sentence that is looked at: longer ones quote more than they say. */
const longest = 4000;
/** So many reasons stand within each other: the service writes few. */
const deepest = 8;

/**
 * Makes the rewording of a language from its sentences. en.json holds what the
 * service writes. In its braces stand numbers (n, m, of, row), other sentences
 * of the service (braces with the name of a group of keys, such as {order}),
 * examples (some), and else any text, which is kept as it is.
 */
export function rewording(say: Say<string>, locale: Locale): Reword {
  const groups = patternsOf(originals as Catalogue);
  let depth = 0;

  function word(group: string, text: string): string | null {
    for (const { key, slots, whole } of groups.get(group) ?? []) {
      const values = valuesOf(slots, whole.exec(text));
      if (values) return say(key, values);
    }
    return null;
  }

  function valuesOf(slots: readonly Slot[], found: RegExpExecArray | null): Values | null {
    if (!found) return null;
    const values: Record<string, string | number> = {};
    for (const [at, slot] of slots.entries()) {
      const text = found[at + 1]!;
      const value = slot.quoted ? unquoted(text) : valueOf(slot.name, text);
      if (value === null) return null;
      values[slot.name] = value;
    }
    return values;
  }

  function valueOf(slot: string, text: string): string | number | null {
    const group = slot.replace(/\d$/, '');
    if (numeric.has(slot)) return Number(text.replaceAll(',', ''));
    if (group === 'why') return within(text) ?? text;
    if (group === 'some') return locale.list(text.split(' and '));
    if (group === 'spots') return spots(text);
    if (group === 'day') return Number.isNaN(Date.parse(text)) ? null : locale.day(text);
    return groups.has(group) ? word(group, text) : text;
  }

  function spots(text: string): string | null {
    const { places, rest } = placesIn(text);
    return rest === '' ? places.map(({ header, column }) => say('spot', { header, n: column })).join(listSign(locale)) : null;
  }

  function within(text: string): string | null {
    if (depth === deepest) return null;
    depth++;
    const worded = clauses(text);
    depth--;
    return worded;
  }

  /** Reasons, one after the other. One that is not known may be a text of the file, and stays. */
  function clauses(text: string): string | null {
    const parts = clausesIn(text);
    const worded = parts.map(clause);
    if (worded.every((one) => one === null)) return parts.length > 1 ? clause(text) : null;
    return worded.map((one, at) => one ?? locale.isolate(parts[at]!)).join(locale.language === 'ar' ? '؛ ' : '; ');
  }

  const clause = (text: string): string | null => word('why', text.replace(/\.$/, ''));

  return (code, text) => {
    if (text.length > longest) return null;
    const group = groupOf(code);
    return group === 'why' ? clauses(text) : word(group, text);
  };
}

function groupOf(code: string): string {
  if (code.startsWith('require_')) return 'require';
  return /^[A-Z]/.test(code) ? 'ask' : (named.get(code) ?? code);
}

const numeric = new Set(['n', 'm', 'of', 'row']);

/** The sentences of the service by their group, each as what it is found by. */
function patternsOf(catalogue: Catalogue): ReadonlyMap<string, Pattern[]> {
  const groups = new Map<string, Pattern[]>();
  for (const [key, entry] of Object.entries(catalogue)) {
    const group = key.split('.', 1)[0]!;
    const list = groups.get(group) ?? [];
    groups.set(group, list);
    for (const text of typeof entry === 'string' ? [entry] : Object.values(entry)) list.push(patternOf(key, text));
  }
  return groups;
}

function patternOf(key: string, text: string): Pattern {
  const slots: Slot[] = [];
  const source = text.split(/("?\{\w+\}"?)/).map((part) => {
    const slot = /^("?)\{(\w+)\}("?)$/.exec(part);
    if (!slot) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const [, quote, name = ''] = slot;
    slots.push({ name, quoted: quote !== '' });
    if (numeric.has(name)) return '(\\d{1,3}(?:,\\d{3})+|\\d+)';
    return quote ? '"((?:[^"\\\\]|\\\\.)*)"' : '([^]*?)';
  }).join('');
  // What is a sentence by itself begins small where it follows another.
  const begun = key.startsWith('why.') ? source.replace(/^[A-Z](?=[a-z]* )/, (letter) => `[${letter}${letter.toLowerCase()}]`) : source;
  return { key, slots, whole: new RegExp(`^${begun}$`) };
}

function listSign(locale: Locale): string {
  return locale.language === 'ar' ? '، ' : ', ';
}
