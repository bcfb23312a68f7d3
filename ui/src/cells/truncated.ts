/** The service gives at most so many bytes of a value, and then an ellipsis. */
const mostBytes = 64 << 10;
/** A cut before a sign of up to four bytes leaves up to three fewer. */
const leastBytes = mostBytes - 3;

const encoder = new TextEncoder();

/**
 * Whether one of the values of a field is only the beginning of it. Only
 * its length shows that; a whole text of just this length and with an ellipsis at its end
 * counts as cut, which is the safe side.
 */
export function isCut(text: string): boolean {
  if (text.length < leastBytes / 4 || !text.endsWith('…')) return false;
  const bytes = encoder.encode(text).length - 3;
  return bytes >= leastBytes && bytes <= mostBytes;
}
