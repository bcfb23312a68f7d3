// The characters that the service counts as spaces, which are more than \s.
const space = '[\\s\\u0085\\u200b]';
const padded = new RegExp(`^${space}|${space}$`);
const untidy = new RegExp(`${padded.source}|${space}{2}|(?! )${space}`);

/** Reports whether a text begins or ends with a space. */
export function isPadded(text: string): boolean {
  return padded.test(text);
}

/** Reports whether a text has outer spaces, or anything but single spaces between words. */
export function isUntidy(text: string): boolean {
  return untidy.test(text);
}
