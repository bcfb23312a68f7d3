import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Field } from './service';

/** The fields of the contacts in the review. */
export const fields: readonly Field[] = [
  { key: 'name', label: 'Name', validators: [{ validate: 'required' }] },
  { key: 'email', label: 'E-mail', type: 'email' },
  { key: 'country', label: 'Country', type: 'country' },
  { key: 'born', label: 'Born', type: 'date' },
  { key: 'status', label: 'Status', type: 'select', selectOptions: [{ label: 'Active', value: 'active' }, { label: 'Inactive', value: 'inactive' }] },
  { key: 'revenue', label: 'Revenue', type: 'number' },
];

export const header = 'Name,E-mail,Country,Born,Status,Revenue';
const first = ['Anna', 'Jürgen', 'María', 'Łukasz', 'Aoife', 'Chinedu', 'Yuki', 'Fatima', 'ليلى', 'Søren'];
const last = ['Weiß', 'Nowak', 'García', 'O’Neill', 'Okafor', 'Tanaka', 'Haddad', 'حداد', 'Lindqvist'];
const countries = ['DE', 'FR', 'PL', 'IT'];

/** The frequency of invalid values: one in this many rows. */
export interface Share {
  readonly email: number;
  readonly country: number;
}

export const often: Share = { email: 11, country: 7 };

/** Returns contact number n. The same number always returns the same row. */
export function contact(n: number, share: Share = often): string {
  const name = `${first[n % first.length]} ${last[n % last.length]}`;
  const email = `p${n}@${n % share.email === 3 ? 'exa mple' : 'example'}.org`;
  const country = n % share.country === 2 ? (n % 3 ? 'Germny' : 'Absurdistan') : countries[n % 4];
  const born = `${1950 + (n % 50)}-${two(1 + (n % 12))}-${two(1 + (n % 28))}`;
  return `${name},${email},${country},${born},Active,${(n % 9973) / 4}`;
}

function two(n: number): string {
  return n < 10 ? `0${n}` : `${n}`;
}

/** Returns contacts as CSV. */
export function contacts(rows: number, share?: Share): string {
  return `${header}\n${Array.from({ length: rows }, (_, n) => `${contact(n, share)}\n`).join('')}`;
}

/** Writes contacts to a file without keeping them in memory. */
export async function writeContacts(path: string, rows: number, share: Share): Promise<void> {
  const file = createWriteStream(path);
  file.write(`${header}\n`);
  const batch = 10_000;
  for (let from = 0; from < rows; from += batch) {
    const lines = Array.from({ length: Math.min(batch, rows - from) }, (_, n) => contact(from + n, share));
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}
