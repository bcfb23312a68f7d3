import type { Counts, RowWindow, Table } from '../../src/api/shapes';

/** A small table, for tests of the page around it. */
const names = ['Anna Weiß', 'Ben Okafor', 'Zoë Martín', 'Dana Whitfield', 'Samir Haddad'];

export const table: Table = {
  columns: [
    { key: 'name', label: 'Name', type: 'string', header: 'Name', readOnly: false, hidden: false, required: true },
    { key: 'email', label: 'E-mail', type: 'email', header: 'E-Mail', readOnly: false, hidden: false, required: true },
  ],
  totals: { rows: names.length, errors: 1, warnings: 0, infos: 0 },
  undo: 0,
  redo: 0,
} as Table;

const problem = { level: 'error', code: 'email', message: 'Invalid email address. Enter an address such as name@example.org.' } as const;

export const rows: RowWindow = {
  view: 'v1', total: names.length, first: 0,
  rows: names.map((name, at) => {
    const text = at === 2 ? 'zoe(at)example.net' : `${name.split(' ')[0]!.toLowerCase()}@example.org`;
    return { id: String(at), version: 0, line: at + 2, cells: [{ text: name, value: name }, at === 2 ? { text, value: null, problems: [problem] } : { text, value: text }] };
  }),
} as RowWindow;

export const counts: Counts = [{ key: 'email', code: 'email', level: 'error', rows: 1, message: problem.message }];

/** The rows without errors. The address of the first one was converted. */
export const cleanRows: RowWindow = {
  ...rows, total: names.length - 1,
  rows: rows.rows.filter((row) => row.cells.every((cell) => !cell.problems)).map((row, at) => (at > 0 ? row : { ...row, cells: [row.cells[0]!, { text: 'Anna@Example.org', value: 'anna@example.org' }] })),
} as RowWindow;
