const longest = 400;

/**
 * What a cell of one line shows of its text. Line breaks, tabs and control
 * characters become pictures of themselves, as a cell that only looks like
 * another one cannot be repaired; of a text of megabytes the beginning is shown.
 */
export function shown(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replace(/\r\n|[\u0000-\u001f\u007f\u2028\u2029]/g, picture);
}

function picture(sign: string): string {
  if (sign === '\t') return '⇥';
  if (sign === '\n' || sign === '\r\n' || sign >= '\u2028') return '↵';
  return sign === '\u007f' ? '␡' : String.fromCharCode(0x2400 + sign.charCodeAt(0));
}

const yes = /^(true|yes|y|1|x|on|✓)$/i;
const no = /^(false|no|n|0|off)$/i;

/** What a checkbox says, or null where its text must be read as text. */
export function checked(text: string): boolean | null {
  const word = text.trim();
  if (word === '' || no.test(word)) return false;
  return yes.test(word) ? true : null;
}
