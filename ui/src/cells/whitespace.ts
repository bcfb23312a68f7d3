// What the service takes for a space, which is more than \s.
const space = '[\\s\\u0085\\u200b]';
const padded = new RegExp(`^${space}|${space}$`);
const untidy = new RegExp(`${padded.source}|${space}{2}|(?! )${space}`);

/** Whether a space stands before or behind a text. */
export function isPadded(text: string): boolean {
  return padded.test(text);
}

/** The same, or where there is more between two words than one space. */
export function isUntidy(text: string): boolean {
  return untidy.test(text);
}
