import { shown } from '../../grid/shown';

const piece = 400;

/** A text of any length, with what shows nothing made visible; line breaks stay. */
export function shownWhole(text: string): string {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.map((line) => pieces(line).map(shown).join('')).join('\n');
}

function pieces(line: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < line.length; at += piece) parts.push(line.slice(at, at + piece));
  return parts;
}
