import type { Import, Layout, Question, Questions, Submission } from '../../src/api/shapes';
import type { Scene } from './fake-service';

/** Imports in every state, as the server returns them. */
export const facts = (more: Partial<Import> = {}): Import => ({
  id: '0f8fad5b-d9cb-469f-a165-70867728950e', title: 'Contacts', status: 'NEEDS_REVIEW', original_filename: 'kunden_export.csv',
  num_data_rows: 48_210, num_rows_with_error: 190, import_errors: [], invalidDataBehavior: 'REMOVE_INVALID_ROWS', styleOverrides: {},
  openQuestions: 0, hasRows: true, unmatchedValues: null, finished: null, ...more,
} as Import);

const column = (index: number, header: string, field: string | null, ...examples: string[]) => ({ index, header, field, examples });
const field = (key: string, label: string, columns: number[], { reasons = ['the header has the name of the field'], ...more }: Partial<Layout['fields'][number]> = {}): Layout['fields'][number] => ({
  key, label, type: 'string', description: '', required: false, requireMapping: false, manyToOne: false, columns, score: 1, decided: 'file',
  created: false, reasons, reasonMessages: reasons.map((text) => ({ text })), ...more,
});

export const layout = (more: Partial<Layout> = {}): Layout => ({
  status: 'NEEDS_REVIEW', filename: 'kunden_export.csv', answers: {}, changes: 0, added: 0, newFields: false,
  evidence: [
    { choice: 'format', value: 'CSV', reason: 'its lines have the same number of cells', answer: '', rivals: [] },
    { choice: 'encoding', value: 'windows-1252', reason: 'it is no UTF-8; it reads Müller, Weiß, Café', answer: 'encoding', rivals: [{ value: 'iso-8859-15', label: 'iso-8859-15', reason: 'Müller, Weiß, Café', examples: [] }] },
    { choice: 'delimiter', value: ';', reason: 'it cuts every line into 8 cells', answer: 'delimiter', rivals: [] },
    { choice: 'header row', value: '3', reason: 'its cells are texts where those below are numbers and dates; 2 lines are above it', answer: 'header_row', rivals: [] },
    { choice: 'format of born', value: 'day, month, year', reason: '12 of 40 values have a day above 12 in the first place', answer: '', rivals: [] },
  ],
  columns: [
    column(0, 'Name', 'name', 'Anna Weiß', 'Ben Okafor', 'Zoë Martín'),
    column(1, 'E-Mail', 'email', 'anna@example.org', 'ben@example.com', 'zoe@example.net'),
    column(2, 'Land', 'country', 'Germany', 'Deutschl.', 'AT'),
    column(3, 'geb.', 'born', '31.12.1990', '01.02.1988', '17.05.2001'),
    column(4, 'Tel. 1', 'phone', '+49 30 1234567', '0171 5550123', '+43 1 5125'),
    column(5, 'Tel. 2', 'phone', '', '030 987654', ''),
    column(6, 'interne Notiz (nicht weitergeben)', null, 'ruft zurück', 'VIP', 'Vertrag bis 2027'),
    column(7, '', null),
  ],
  fields: [
    field('name', 'Name', [0], { required: true, requireMapping: true, description: 'First and last name, as on the contract' }),
    field('email', 'E-mail', [1], { required: true, requireMapping: true, reasons: ['the same name', '98% of the values look like email addresses'] }),
    field('country', 'Country', [2], { type: 'country', score: 0.91, reasons: ['‘Land’ means country'] }),
    field('born', 'Date of birth', [3], { type: 'date', decided: 'person' }),
    field('phone', 'Phone', [4, 5], { manyToOne: true }),
    field('company', 'Company', []),
    field('vat', 'VAT id', []),
  ],
  ...more,
});

const choice = (value: string, label: string, reason: string, ...examples: string[]) => ({ value, label, reason, examples });
const formatChoice = (value: string, label: string, ...readings: [raw: string, value: string][]) => ({
  ...choice(value, label, '', ...readings.map((one) => one.join(' is '))), readings: readings.map(([raw, read]) => ({ raw, value: read })),
});
const question = (of: Partial<Question> & Pick<Question, 'id' | 'message' | 'choices'>): Question => ({
  type: 'COLUMN_CONFLICT', anyColumn: false, manyColumns: false, answer: null, ...of,
} as Question);
export const asking = (...questions: Question[]): Questions => ({ status: 'NEEDS_REVIEW', questions, answers: {} } as Questions);

export const questions = {
  sheet: question({ id: 'sheet', message: 'The file contains 3 tables: "Kontakte 2025", "Kontakte 2024", "Lieferanten". Choose the one to import.', choices: [
    choice('Kontakte 2025', 'Kontakte 2025', 'it contains a table', 'Name', 'E-Mail', 'Land', 'geb.', 'Telefon'),
    choice('Kontakte 2024', 'Kontakte 2024', 'it contains a table', 'Name', 'Mail', 'Land', 'geb.'),
    choice('Lieferanten', 'Lieferanten', 'it contains a table', 'Firma', 'USt-IdNr.', 'IBAN'),
  ] }),
  header: question({ id: 'header_row', message: 'It is unclear which row is the header row. Most likely row 3: its cells are texts.', choices: [
    choice('3', '3', 'its cells are texts where those below are numbers and dates', 'Name', 'E-Mail', 'Land', 'geb.', 'Tel. 1'),
    choice('1', 'row 1', 'it could also be the header row', 'Kundenliste', 'Stand 12.11.2026', '', '', ''),
    choice('none', 'no header row', 'it looks like the rows below', 'Anna Weiß', 'anna@example.org', 'Germany', '31.12.1990'),
  ] }),
  email: question({ id: 'column:email', fieldKey: 'email', message: '2 columns match the field "E-mail" equally well.', anyColumn: true, choices: [
    choice('1', 'E-Mail (column 2)', '98% of the values look like email addresses', 'anna@example.org', 'ben@example.com', 'zoe@example.net'),
    choice('6', 'E-Mail privat (column 7)', '96% of the values look like email addresses', 'anna.w@web.example', '', 'zm@mail.example'),
  ] }),
  born: question({ id: 'format:born', fieldKey: 'born', header: 'geb.', message: 'Dates such as 01/02/2020 can be read in more than one way: no value of the column decides it.', choices: [
    formatChoice('dmy', 'day, month, year', ['01/02/2020', '2020-02-01'], ['03/04/1988', '1988-04-03'], ['11/12/1999', '1999-12-11']),
    formatChoice('mdy', 'month, day, year', ['01/02/2020', '2020-01-02'], ['03/04/1988', '1988-03-04'], ['11/12/1999', '1999-11-12']),
  ] }),
  amount: question({ id: 'format:amount', fieldKey: 'amount', header: 'Betrag', message: 'Numbers such as 1.234 can be read in two ways.', choices: [
    formatChoice('1.234', 'point between thousands', ['1.234', '1234'], ['2.500', '2500'], ['10.000', '10000']),
    formatChoice('1,234', 'point before decimals', ['1.234', '1.234'], ['2.500', '2.5'], ['10.000', '10']),
  ] }),
};

/** The sheets of a workbook. */
const sheets = [
  { name: 'Kontakte 2025', rows: [['Kontakte'], [''], ['Name', 'E-Mail', 'Land', 'geb.', 'Telefon'], ['Anna Weiß', 'anna@example.org', 'DE', '31.12.1990', '+49 30 1234567'], ['Ben Okafor', 'ben@example.com', 'AT', '01.02.1988', '']] },
  { name: 'Kontakte 2024', rows: [['Name', 'Mail', 'Land', 'geb.'], ['Dana Whitfield', 'dana@example.org', 'UK', '11.12.1999']] },
  { name: 'Lieferanten', rows: [['Firma', 'USt-IdNr.', 'IBAN'], ['Muster GmbH', 'DE123456789', 'DE02120300000000202051']] },
];
const unnamed = (key: string) => question({ id: `column:${key}`, type: 'UNMAPPED_FIELDS', fieldKey: key, message: 'No header matches the field.', choices: [], anyColumn: true });
/** A layout in which columns lose their fields. */
const without = (...columns: number[]) => layout({
  columns: layout().columns.map((one) => (columns.includes(one.index) ? { ...one, field: null } : one)),
  fields: layout().fields.map((one) => ({ ...one, columns: one.columns.filter((index) => !columns.includes(index)) })),
});
const left = [
  { type: 'LEFT_OUT_ROWS', level: 'info', message: 'The 2 rows above the table were not imported.' },
  { type: 'LEFT_OUT_ROWS', level: 'warning', message: 'Line 48,216 is below the table and was not imported.' },
] as unknown as Import['import_errors'];

export const submission = (more: Partial<Submission> = {}): Submission => ({ status: 'NEEDS_REVIEW', rows: 48_020, rowsWithError: 0, rowsLeftOut: 190, blocked: false, ...more });

const damaged = { status: 409, code: 'rows_damaged', message_code: 'review.rows_damaged', detail: 'The stored rows of this import are damaged. Run the import again to read them from the uploaded file.' };
const unreadable = { type: 'UNREADABLE_FILE', level: 'error', message: 'The file is a password-protected workbook. Save it without a password and send it again.' } as const;

export const scenes: Record<string, () => Scene> = {
  cells: () => ({ facts: facts({ num_data_rows: 5, num_rows_with_error: 1, import_errors: left }), layout: layout() }),
  ready: () => ({ facts: facts({ num_data_rows: 5, num_rows_with_error: 0 }), layout: layout(), clean: true }),
  table: () => ({ facts: facts({ import_errors: left }), layout: layout({ changes: 3 }) }),
  workbook: () => ({ facts: facts({ original_filename: 'kontakte.xlsx' }), sheets, layout: layout({ evidence: [{ choice: 'format', value: 'Excel', reason: 'the file is a workbook', answer: '', rivals: [] }, { choice: 'header row', value: '3', reason: 'its cells are texts', answer: 'header_row', rivals: [] }] }) }),
  sheet: () => ({ facts: facts({ num_data_rows: 0, hasRows: false, openQuestions: 1, original_filename: 'kontakte.xlsx' }), sheets, layout: layout({ columns: [], fields: [], evidence: [] }), questions: asking(questions.sheet) }),
  header: () => ({ facts: facts({ num_data_rows: 0, hasRows: false, openQuestions: 1 }), layout: layout(), questions: asking(questions.header) }),
  columns: () => ({ facts: facts(), layout: layout(), submission: submission() }),
  'columns-open': () => ({ facts: facts({ hasRows: false, openQuestions: 1, num_data_rows: 0 }), questions: asking(questions.email), layout: without(1) }),
  'columns-missing': () => ({ facts: facts(), layout: without(0, 3) }),
  unnamed: () => ({
    facts: facts({ hasRows: false, openQuestions: 5, num_data_rows: 0 }), layout: without(0, 1, 2, 3, 4, 5), questions: asking(...['name', 'email', 'country', 'born', 'phone'].map(unnamed)),
  }),
  values: () => ({ facts: facts({ hasRows: false, openQuestions: 2, num_data_rows: 0 }), layout: layout({ answers: { 'format:joined': 'YMD' } }), questions: asking(questions.born, questions.amount) }),
  confirm: () => ({ facts: facts(), layout: layout({ changes: 12 }), submission: submission() }),
  awaiting: () => ({ facts: facts({ status: 'AWAITING_UPLOAD', original_filename: '', num_data_rows: 0 }) }),
  pending: () => ({ facts: facts({ status: 'PENDING', num_data_rows: 0 }) }),
  running: () => ({ facts: facts({ status: 'RUNNING', num_data_rows: 0 }) }),
  failed: () => ({ facts: facts({ status: 'FAILED', num_data_rows: 0, import_errors: [unreadable] }) }),
  done: () => ({ facts: facts({ status: 'SUCCESSFUL', finished: '2026-11-21T14:03:00Z' }) }),
  expired: () => ({ facts: facts(), refuse: { '*': { status: 401, code: 'unauthorized', detail: 'Open the review link first.' } } }),
  denied: () => ({ facts: facts(), refuse: { '*': { status: 403, code: 'wrong_token', detail: 'The token does not open this import.' } } }),
  gone: () => ({ facts: facts(), refuse: { '*': { status: 404, code: 'not_found', detail: 'There is no such import.' } } }),
  broken: () => ({ facts: facts(), refuse: { '*': { status: 500, code: 'internal', detail: 'Something went wrong on our side. Try again; if it happens again, send the request_id to the operator.' } } }),
  damaged: () => ({
    facts: facts(), layout: layout(),
    refuse: {
      'GET table/': damaged, 'GET rows/': damaged, 'GET counts/': damaged,
      'POST run-again/': { status: 409, code: 'discards_changes', detail: 'This discards 3 changes.', changes: 3 },
    },
  }),
  lost: () => ({ facts: facts(), dead: true }),
  blocked: () => ({ facts: facts({ invalidDataBehavior: 'BLOCK_SUBMIT' }), layout: layout(), submission: submission({ rows: 48_210, rowsWithError: 190, rowsLeftOut: 0, blocked: true }) }),
  cancelled: () => ({
    facts: facts(), layout: layout(), submission: submission(),
    refuse: { 'POST submit/': { status: 409, code: 'cancelled_by_hook', detail: 'The month is closed already. Ask the accounting for a new one.' } },
  }),
};
