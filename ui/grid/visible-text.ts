import type { Cell } from './row-source';

const longest = 400;

/**
 * What a cell of one line shows of its text. Line breaks, tabs and characters
 * that show nothing become pictures of themselves, as a cell that only looks like
 * another one cannot be repaired; of a text of megabytes the beginning is shown.
 */
export function visibleText(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return invisible.test(cut) ? cut.replace(invisibles, picture) : cut;
}

/** What shows nothing, or turns what stands around it. */
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

/** What a checkbox says: undefined where it is empty, null where its text must be read as text. */
export function checkboxState(cell: Pick<Cell, 'text' | 'value'>): boolean | null | undefined {
  const word = (cell.value ?? cell.text).trim();
  if (word === '') return undefined;
  return yes.test(word) ? true : no.test(word) ? false : null;
}
