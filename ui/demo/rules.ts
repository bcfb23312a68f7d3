import type { Problem } from '../grid';
import { countries } from './generate';

const known = new Set(countries.map((country) => country.text));

/** What is wrong with a text in a column of the example. */
export function problemsOf(key: string, text: string): readonly Problem[] {
  const problem = rules[key]?.(text);
  return problem ? [problem] : none;
}

const none: readonly Problem[] = [];

const rules: Record<string, (text: string) => Problem | null> = {
  name: (text) => (text ? null : error('required', 'Each contact needs a name.')),
  email: (text) => (/^[^\s@()]+@[^\s@()]+\.[a-z]+$/i.test(text) ? null : error('email', 'This is not an e-mail address. Write it like name@example.org.')),
  country: (text) => {
    if (text === '' || known.has(text)) return null;
    const near = /^ger/i.test(text) ? ' Did you mean Germany (DE)?' : ' Choose one from the list.';
    return error('select', `“${text}” is not a country.${near}`);
  },
  born: (text) => (Number.isNaN(Date.parse(text)) || text > '2026' ? warning('date', 'This day is in the future, or there is no such day.') : null),
  revenue: (text) => (Number.isNaN(Number(text)) ? error('number', 'This is not a number. Write it like 1234.50.') : null),
  note: (text) => (text.includes('<') ? { level: 'info', code: 'markup', message: 'The text holds markup, which is kept as text.' } : null),
};

function error(code: string, message: string): Problem {
  return { level: 'error', code, message };
}

function warning(code: string, message: string): Problem {
  return { level: 'warning', code, message };
}
