import type { Choice, Column, ColumnKind } from '../grid';

/** Computes rows from their index, so that ten million rows need no memory. */

const first = ['Anna', 'Jürgen', 'María', 'Łukasz', 'Aoife', 'Chinedu', 'Yuki', 'Fatima', 'ليلى', 'Søren', 'Zoë', 'Björn', 'Giulia', 'Noam', 'Priya', 'Thomas'];
const last = ['Weiß', 'Nowak', 'García', "O'Neill", 'Okafor', 'Tanaka', 'Haddad', 'حداد', 'Lindqvist', 'Ferrari', 'Cohen', 'Sharma', 'Schmidt-Rottluff', 'van der Berg', 'Dubois', 'Smith'];
const streets = ['Hauptstraße', 'Rue de la Paix', 'High Street', 'Via Roma', 'ul. Długa', 'Calle Mayor', 'Kungsgatan'];
const cities = ['Berlin', 'Paris', 'London', 'Roma', 'Gdańsk', 'Madrid', 'Stockholm', 'القاهرة', 'Zürich', 'Lisboa'];
export const countries: Choice[] = [
  ['AT', 'Austria'], ['BE', 'Belgium'], ['BR', 'Brazil'], ['CA', 'Canada'], ['CH', 'Switzerland'], ['CZ', 'Czechia'],
  ['DE', 'Germany'], ['DK', 'Denmark'], ['EG', 'Egypt'], ['ES', 'Spain'], ['FI', 'Finland'], ['FR', 'France'],
  ['GB', 'United Kingdom'], ['GR', 'Greece'], ['IE', 'Ireland'], ['IL', 'Israel'], ['IN', 'India'], ['IT', 'Italy'],
  ['JP', 'Japan'], ['NG', 'Nigeria'], ['NL', 'Netherlands'], ['NO', 'Norway'], ['PL', 'Poland'], ['PT', 'Portugal'],
  ['SE', 'Sweden'], ['TR', 'Türkiye'], ['UA', 'Ukraine'], ['US', 'United States'],
].map(([text, label]) => ({ text: text!, label: label! }));
export const tags: Choice[] = ['customer', 'supplier', 'newsletter', 'trade fair', 'press', 'partner'].map((text) => ({ text }));

const base: readonly { key: string; label: string; kind: ColumnKind; width: number; choices?: Choice[]; pinned?: boolean; readOnly?: boolean }[] = [
  { key: 'name', label: 'Name', kind: 'text', width: 168, pinned: true },
  { key: 'email', label: 'E-mail', kind: 'text', width: 232 },
  { key: 'country', label: 'Country', kind: 'select', width: 152, choices: countries },
  { key: 'born', label: 'Born', kind: 'date', width: 128 },
  { key: 'revenue', label: 'Revenue', kind: 'number', width: 120 },
  { key: 'active', label: 'Active', kind: 'checkbox', width: 96 },
  { key: 'tags', label: 'Tags', kind: 'multi', width: 184, choices: tags },
  { key: 'phone', label: 'Phone', kind: 'text', width: 152 },
  { key: 'street', label: 'Street', kind: 'text', width: 184 },
  { key: 'city', label: 'City', kind: 'text', width: 128 },
  { key: 'note', label: 'Note', kind: 'text', width: 240 },
  { key: 'source', label: 'Source line', kind: 'number', width: 112, readOnly: true },
];

export function columnsOf(count: number): Column[] {
  const more = Math.max(0, count - base.length);
  const extra = Array.from({ length: more }, (_, n): Column => ({ key: `x${n}`, label: `Measure ${n + 1}`, kind: 'number', width: 104 }));
  return [...base.slice(0, count), ...extra];
}

/** Returns a pseudorandom integer from 0 up to, but not including, `below`. It depends only on `row` and `salt`. */
export function pick(row: number, salt: number, below: number): number {
  let n = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(salt + 7, 0x85ebca6b);
  n = Math.imul(n ^ (n >>> 15), 0x2c1b3c6d);
  n = Math.imul(n ^ (n >>> 12), 0x297a2d39);
  return ((n ^ (n >>> 15)) >>> 0) % below;
}

export function textOf(row: number, key: string): string {
  switch (key) {
    case 'name': return row % 61 === 19 ? '' : `${first[pick(row, 1, first.length)]} ${last[pick(row, 2, last.length)]}`;
    case 'email': return `${address(row)}${row % 23 === 4 ? '@exa mple.org' : row % 47 === 9 ? '(at)example.org' : '@example.org'}`;
    case 'country': return row % 17 === 6 ? 'Germny' : row % 71 === 11 ? 'XX' : countries[pick(row, 3, countries.length)]!.text;
    case 'born': return row % 53 === 14 ? '2091-02-30' : `${1940 + pick(row, 4, 66)}-${two(1 + pick(row, 5, 12))}-${two(1 + pick(row, 6, 28))}`;
    case 'revenue': return (pick(row, 7, 9_000_000) / 100).toFixed(2);
    case 'active': return pick(row, 8, 3) ? 'true' : 'false';
    case 'tags': return tags.filter((_, n) => pick(row, 20 + n, 4) === 0).map((tag) => tag.text).join(', ');
    case 'phone': return `+${1 + pick(row, 9, 88)} ${100 + pick(row, 10, 899)} ${1000 + pick(row, 11, 8999)}`;
    case 'street': return `${streets[pick(row, 12, streets.length)]} ${1 + pick(row, 13, 180)}`;
    case 'city': return cities[pick(row, 14, cities.length)]!;
    case 'note': return row % 29 === 8 ? 'call back\nbefore noon' : row % 97 === 12 ? '<b>VIP</b>' : '';
    case 'source': return String(row + 2);
    default: return (pick(row, 100 + Number(key.slice(1)), 1_000_000) / 1000).toFixed(3);
  }
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}

const firstPlain = first.map(ascii);
const lastPlain = last.map(ascii);

function address(row: number): string {
  const parts = [firstPlain[pick(row, 1, first.length)], lastPlain[pick(row, 2, last.length)]];
  return parts.filter(Boolean).join('.') || 'contact';
}

function ascii(name: string): string {
  return name.normalize('NFD').replace(/[^a-zA-Z ]/g, '').trim().toLowerCase().replaceAll(' ', '.');
}
