import type { Problem } from '../grid';
import { countries } from './generate';

const known = new Set(countries.map((country) => country.text));

/** Returns the problems of a raw value in a column of the demo. */
export function problemsOf(key: string, text: string): readonly Problem[] {
  const problem = rules[key]?.(text);
  return problem ? [problem] : none;
}

const none: readonly Problem[] = [];

const rules: Record<string, (text: string) => Problem | null> = {
  name: (text) => (text ? null : error('required', 'Required. Enter a name.')),
  email: (text) => (/^[^\s@()]+@[^\s@()]+\.[a-z]+$/i.test(text) ? null : error('email', 'Invalid email address. Enter an address such as name@example.org.')),
  country: (text) => {
    if (text === '' || known.has(text)) return null;
    const near = /^ger/i.test(text) ? ' Did you mean Germany (DE)?' : ' Choose one from the list.';
    return error('select', `“${text}” is not a country.${near}`);
  },
  born: (text) => (Number.isNaN(Date.parse(text)) || text > '2026' ? warning('date', 'This date is invalid or in the future.') : null),
  revenue: (text) => (Number.isNaN(Number(text)) ? error('number', 'Not a number. Enter one like 1234.50.') : null),
  note: (text) => (text.includes('<') ? { level: 'info', code: 'markup', message: 'This text contains markup. It is kept as text.' } : null),
};

function error(code: string, message: string): Problem {
  return { level: 'error', code, message };
}

function warning(code: string, message: string): Problem {
  return { level: 'warning', code, message };
}
