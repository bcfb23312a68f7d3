// The characters that the server counts as spaces. \s covers only some of them.
const space = '[\\s\\u0085\\u200b]';
const padded = new RegExp(`^${space}|${space}$`);
const untidy = new RegExp(`${padded.source}|${space}{2}|(?! )${space}`);

/** Reports whether text begins or ends with a space. */
export function isPadded(text: string): boolean {
  return padded.test(text);
}

/**
 * Reports whether text begins or ends with a space, or has anything but single spaces
 * between words.
 */
export function isUntidy(text: string): boolean {
  return untidy.test(text);
}
