import type { Level } from './row-source';

/**
 * All text that the grid shows, in the language of the host. The host also formats the
 * numbers.
 */
export interface Texts {
  readonly rowHeader: string;
  readonly level: Readonly<Record<Level, string>>;
  readonly changed: string;
  readonly pending: string;
  readonly yes: string;
  readonly no: string;
  readonly loading: string;
  readonly empty: string;
  readonly emptyHint: string;
  readonly lost: string;
  readonly lostHint: string;
  readonly failed: string;
  readonly retry: string;
  readonly chooseDate: string;
  readonly search: string;
  readonly noChoice: string;
  readonly emptyChoice: string;
  readonly menu: { readonly open: string; pin: string; unpin: string; wider: string; narrower: string; fit: string; select: string };
  readonly noProblem: string;
  /** Shown when the search for problems continues at the other end. */
  readonly wrapped: Readonly<Record<'next' | 'previous', string>>;
  edit(column: string): string;
  moreChoices(count: number): string;
  selected(rows: number, cols: number): string;
  place(row: number, column: string): string;
  copied(cells: number): string;
  copying(cells: number): string;
  copyTooMuch(cells: number, most: number): string;
  copyDenied(): string;
  changedCells(cells: number): string;
  leftOut(rows: number, cols: number): string;
  readOnly(column: string): string;
  conflict(mine: string, theirs: string): string;
  conflicts(cells: number): string;
  waiting(changes: number): string;
  width(column: string, pixels: number): string;
  cannotPaste(): string;
  tooMuch(cells: number, most: number): string;
  tooLong(column: string): string;
  /** Shown if the cells to fill from are not loaded. */
  cannotFill(): string;
}

export function english(locale = 'en'): Texts {
  const figure = new Intl.NumberFormat(locale);
  const plural = new Intl.PluralRules('en');
  const many = (n: number, one: string, other: string) => `${figure.format(n)} ${plural.select(n) === 'one' ? one : other}`;
  const cells = (n: number) => many(n, 'cell', 'cells');
  return {
    ...fixedTexts,
    edit: (column) => `Edit ${column}`,
    moreChoices: (count) => `${many(count, 'more option', 'more options')}. Type to filter.`,
    selected: (rows, cols) => `${many(rows, 'row', 'rows')} × ${many(cols, 'column', 'columns')} selected`,
    place: (row, column) => `Row ${figure.format(row)}, ${column}`,
    copied: (n) => `${cells(n)} copied`,
    copying: (n) => `Copying ${cells(n)}…`,
    copyTooMuch: (n, most) => `You can copy at most ${figure.format(most)} cells, not ${figure.format(n)}. Select fewer or download the rows.`,
    copyDenied: () => 'The browser blocked copying. Select fewer rows or allow this page to use the clipboard.',
    changedCells: (n) => `${cells(n)} changed`,
    leftOut: (rows, cols) => `${leftOut(many, rows, cols)} didn’t fit and ${rows + cols === 1 ? 'was' : 'were'} skipped`,
    readOnly: (column) => `${column} is read-only.`,
    conflict: (mine, theirs) => `Someone else changed this cell first. It now contains “${theirs}”; you entered “${mine}”.`,
    conflicts: (n) => `${cells(n)} ${n === 1 ? 'was' : 'were'} changed by someone else and not overwritten.`,
    waiting: (n) => `${many(n, 'change', 'changes')} waiting to be saved.`,
    width: (column, pixels) => `${column} is ${figure.format(pixels)} pixels wide`,
    cannotPaste: () => 'The clipboard contains no text.',
    tooLong: (column) => `A value in ${column} is too long to copy.`,
    cannotFill: () => 'The value to fill with is too long or isn’t loaded yet. To load it, scroll to its cell.',
    tooMuch: (n, most) => `You can paste at most ${figure.format(most)} cells at once, not ${figure.format(n)}.`,
  };
}

function leftOut(many: (n: number, one: string, other: string) => string, rows: number, cols: number): string {
  const parts = [rows > 0 ? many(rows, 'row', 'rows') : '', cols > 0 ? many(cols, 'column', 'columns') : ''];
  return parts.filter(Boolean).join(' and ');
}

const fixedTexts = {
  rowHeader: 'Row',
  level: { error: 'Error', warning: 'Warning', info: 'Note' },
  changed: 'Changed',
  pending: 'Saving',
  yes: 'Yes',
  no: 'No',
  loading: 'Loading rows…',
  empty: 'No matching rows.',
  emptyHint: 'Show all rows or search for something else.',
  lost: 'You’re offline.',
  lostHint: 'We’ll keep trying to reconnect. Your changes are kept.',
  failed: 'The rows couldn’t be loaded.',
  retry: 'Try again',
  chooseDate: 'Choose a date',
  search: 'Search options',
  noChoice: 'No matches.',
  emptyChoice: 'Leave empty',
  menu: {
    open: 'Column menu',
    pin: 'Pin column',
    unpin: 'Unpin column',
    wider: 'Make wider',
    narrower: 'Make narrower',
    fit: 'Fit to content',
    select: 'Select column',
  },
  noProblem: 'No problems in these rows.',
  wrapped: { next: 'Continued from the top.', previous: 'Continued from the bottom.' },
} as const;
