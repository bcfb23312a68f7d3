import type { Level } from './row-source';

/**
 * Every sentence that the grid says by itself. A host that speaks another
 * language gives all of them; numbers come in grouped for the locale already.
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
  readonly noProblem: Readonly<Record<'next' | 'previous', string>>;
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
  /** In the place of a fill whose source is not loaded. */
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
    moreChoices: (count) => `${many(count, 'more choice', 'more choices')}. Type to narrow them down.`,
    selected: (rows, cols) => `${many(rows, 'row', 'rows')} by ${many(cols, 'column', 'columns')} selected`,
    place: (row, column) => `Row ${figure.format(row)}, ${column}`,
    copied: (n) => `${cells(n)} copied`,
    copying: (n) => `Copying ${cells(n)} …`,
    copyTooMuch: (n, most) => `${cells(n)} are more than the clipboard takes from here (${figure.format(most)}). Select fewer, or download the rows.`,
    copyDenied: () => 'The browser did not allow copying. Select fewer rows, or allow this page to use the clipboard.',
    changedCells: (n) => `${cells(n)} changed`,
    leftOut: (rows, cols) => `${leftOut(many, rows, cols)} did not fit into the table and ${rows + cols === 1 ? 'was' : 'were'} left out`,
    readOnly: (column) => `${column} cannot be changed here.`,
    conflict: (mine, theirs) => `Somebody else changed this cell first. It holds “${theirs}”; you wrote “${mine}”.`,
    conflicts: (n) => `${cells(n)} had been changed by somebody else and were kept as they are.`,
    waiting: (n) => `${many(n, 'change waits', 'changes wait')} to be saved.`,
    width: (column, pixels) => `${column} is ${figure.format(pixels)} pixels wide`,
    cannotPaste: () => 'The clipboard holds no text.',
    tooLong: (column) => `A cell of ${column} is so long that only its beginning is here. It is not copied.`,
    cannotFill: () => 'What to fill with is not loaded yet, or too long. Scroll there first.',
    tooMuch: (n, most) => `${cells(n)} are more than fit into one paste (${figure.format(most)}). Paste fewer at a time.`,
  };
}

function leftOut(many: (n: number, one: string, other: string) => string, rows: number, cols: number): string {
  const parts = [rows > 0 ? many(rows, 'row', 'rows') : '', cols > 0 ? many(cols, 'column', 'columns') : ''];
  return parts.filter(Boolean).join(' and ');
}

const fixedTexts = {
  rowHeader: 'Row',
  level: { error: 'Error', warning: 'Warning', info: 'Note' },
  changed: 'Fixed',
  pending: 'Being saved',
  yes: 'Yes',
  no: 'No',
  loading: 'Loading rows …',
  empty: 'There are no rows here.',
  emptyHint: 'Rows that fit the filter would be listed here.',
  lost: 'The connection is lost.',
  lostHint: 'It is tried again by itself. What you changed is kept.',
  failed: 'The rows could not be loaded.',
  retry: 'Try again',
  chooseDate: 'Choose a date',
  search: 'Search the choices',
  noChoice: 'No choice fits.',
  emptyChoice: 'Leave empty',
  menu: {
    open: 'Column menu',
    pin: 'Keep in view',
    unpin: 'Let scroll',
    wider: 'Wider',
    narrower: 'Narrower',
    fit: 'Fit to what is shown',
    select: 'Select the column',
  },
  noProblem: { next: 'No further problem below.', previous: 'No further problem above.' },
} as const;
