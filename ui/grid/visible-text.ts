import type { Cell } from './row-source';

const longest = 400;

/**
 * Returns text as a single-line cell shows it. Line breaks, tabs and invisible characters
 * become visible symbols, because users cannot fix what they cannot see. Long text is
 * shortened.
 */
export function visibleText(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return invisible.test(cut) ? cut.replace(invisibles, picture) : cut;
}

/** Characters that are invisible or change the direction of the surrounding text. */
const invisible = /[\u0000-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2060-\u2069\ufeff]/;
const invisibles = new RegExp(`\\r\\n|${invisible.source}`, 'g');

function picture(sign: string): string {
  if (sign === '\t') return '⇥';
  if (sign === '\n' || sign === '\r\n' || sign === '\u2028' || sign === '\u2029') return '↵';
  if (sign === '\u007f') return '␡';
  const code = sign.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

const yes = /^(true|yes|y|1|x|on|✓)$/i;
const no = /^(false|no|n|0|off)$/i;

/**
 * Returns the state of a checkbox: undefined if the cell is empty, null if its text means
 * neither yes nor no.
 */
export function checkboxState(cell: Pick<Cell, 'text' | 'value'>): boolean | null | undefined {
  const word = (cell.value ?? cell.text).trim();
  if (word === '') return undefined;
  return yes.test(word) ? true : no.test(word) ? false : null;
}
