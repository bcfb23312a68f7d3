import type { Field } from './cells-service';

/** The fields of the contacts in the review. */
export const fields: readonly Field[] = [
  { key: 'name', label: 'Name', validators: [{ validate: 'required' }] },
  { key: 'email', label: 'E-mail', type: 'email' },
  { key: 'country', label: 'Country', type: 'country' },
  { key: 'born', label: 'Born', type: 'date' },
  { key: 'status', label: 'Status', type: 'select', selectOptions: [{ label: 'Active', value: 'active' }, { label: 'Inactive', value: 'inactive' }] },
  { key: 'newsletter', label: 'Newsletter', type: 'checkbox' },
  { key: 'revenue', label: 'Revenue', type: 'number' },
  { key: 'note', label: 'Note' },
];

const first = ['Anna', 'Jürgen', 'María', 'Łukasz', 'Aoife', 'Chinedu', 'Yuki', 'Fatima', 'ليلى', 'Søren'];
const last = ['Weiß', 'Nowak', 'García', 'O’Neill', 'Okafor', 'Tanaka', 'Haddad', 'حداد', 'Lindqvist'];

/**
 * Returns contacts as CSV. Every 7th has an invalid country, every 11th an invalid email
 * address, and every 100th no name.
 */
export function contacts(rows: number): string {
  const lines = ['Name,E-mail,Country,Born,Status,Newsletter,Revenue,Note'];
  for (let n = 0; n < rows; n++) lines.push(line(n));
  return `${lines.join('\n')}\n`;
}

function line(n: number): string {
  const name = n % 100 === 99 ? '' : `${first[n % first.length]} ${last[n % last.length]}`;
  const email = `person${n}@${n % 11 === 3 ? 'exa mple' : 'example'}.org`;
  const country = n % 7 === 2 ? (n % 3 ? 'Germny' : 'Absurdistan') : ['DE', 'France', 'PL', 'Italy'][n % 4];
  const born = `${1950 + (n % 50)}-${String(1 + (n % 12)).padStart(2, '0')}-${String(1 + (n % 28)).padStart(2, '0')}`;
  return [name, email, country, born, n % 13 === 5 ? 'Archived' : 'Active', n % 2 ? 'yes' : 'no', (n * 1.5).toFixed(2), n % 5 ? '' : ' call  back '].join(',');
}
