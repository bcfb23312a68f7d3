import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { applyChoice, currentAnswer, firstUnanswered, includesChoice } from '../../src/app/questions/drafts';
import { explain, isSuggested } from '../../src/app/questions/explanation';
import { displayValue } from '../../src/app/questions/examples';
import { headingOf, choiceLabel } from '../../src/app/questions/headings';
import { truncate } from '../../src/app/server-text';
import { countsOf } from '../../src/app/states/done';
import { changedTextOf } from '../../src/app/confirm/raw-text';
import { summaryOf } from '../../src/app/confirm/summary';
import { messageRenderer } from '../../src/i18n/message-renderer';
import type { Message, Params, Translator } from '../../src/i18n/types';
import { chooseLocale } from '../../src/i18n/locale';
import { messageText } from '../../src/i18n/messages';
import { createTranslator } from '../../src/i18n/texts';
import type { Key } from '../../src/app/context';
import { facts, layout, questions, submission } from '../browser/scenes';

const translatorOf = (language: string) => createTranslator<Key>(JSON.parse(readFileSync(`src/i18n/review.${language}.json`, 'utf8')), chooseLocale(language, []));
const t = translatorOf('en');

test('a choice replaces the previous one, and columns of a many-to-one field toggle', () => {
  const one = questions.email;
  assert.equal(currentAnswer(one, applyChoice(one, applyChoice(one, {}, '1'), '6')), '6');
  const many = { ...questions.email, manyColumns: true, answer: '6' };
  assert.equal(currentAnswer(many, {}), '6');
  assert.equal(currentAnswer(many, applyChoice(many, {}, '1')), '1,6');
  assert.equal(currentAnswer(many, applyChoice(many, applyChoice(many, {}, '1'), '6')), '1');
  assert.equal(currentAnswer(many, applyChoice(many, {}, 'none')), 'none');
  assert.equal(currentAnswer(many, applyChoice(many, applyChoice(many, {}, 'none'), '10')), '10');
  assert.deepEqual(applyChoice({ ...many, answer: null }, { [many.id]: '1' }, '1'), {});
  assert.ok(includesChoice('1,10', '10', true) && !includesChoice('1,10', '0', true) && !includesChoice(null, '1', true));
});

test('firstUnanswered returns the first question without an answer', () => {
  assert.equal(firstUnanswered([questions.email, questions.born], {})?.id, 'column:email');
  assert.equal(firstUnanswered([questions.email, questions.born], { 'column:email': '1' })?.id, 'format:born');
  assert.equal(firstUnanswered([{ ...questions.born, answer: 'dmy' }], {}), null);
});

test('dates are shown with month names, and numbers in the format of the language', () => {
  const cases: [value: string, language: string, shown: string][] = [
    ['1990-02-05', 'en', 'February 5, 1990'],
    ['1990-02-05', 'de', '5. Februar 1990'],
    ['1.201', 'de', '1,201'],
    ['1201', 'de', '1201'],
    ['-1201.50', 'de', '-1201,50'],
    ['12345678901234567890.25', 'de', '12345678901234567890,25'],
    ['1-2', 'de', '1-2'],
    ['2020-01-01 10:00', 'en', '2020-01-01 10:00'],
    ['0000-00-00', 'en', '0000-00-00'],
    ['', 'en', ''],
  ];
  for (const [value, language, shown] of cases) assert.equal(displayValue(value, chooseLocale(language, [])), shown);
});

test('headings are sentences', () => {
  const file = layout();
  const cases: [Parameters<typeof headingOf>[0], string][] = [
    [questions.sheet, 'Which sheet contains the table?'],
    [{ id: 'misplaced_quotes' }, 'Are these lines one record or several?'],
    [questions.email, 'Which column contains “E-mail”?'],
    [{ id: 'field:6' }, 'What does the column “interne Notiz (nicht weitergeben)” contain?'],
    [{ id: 'field:7' }, 'What does the column “H” contain?'],
    [{ id: 'field:70', header: 'X' }, 'What does the column “X” contain?'],
    [{ id: 'format:born:slash' }, 'What is the format of “Date of birth”?'],
    [{ id: 'format:nobody' }, 'What is the format of “nobody”?'],
    [{ id: 'of a later service' }, 'What does this mean?'],
  ];
  for (const [question, heading] of cases) assert.equal(headingOf(question, file, t), heading, question.id);
});

test('choices are translated unless they quote the file', () => {
  const label = (id: string, value: string, given = '') => choiceLabel({ id }, { value, label: given }, layout(), t, chooseLocale('en', []));
  assert.equal(label('header_row', '3', 'row 3'), 'Row 3');
  assert.equal(label('header_row', '3–4'), 'Rows 3 to 4');
  assert.equal(label('header_row', 'none', 'no header row'), 'No header row');
  assert.equal(label('column:email', '1', 'E-Mail (column 2)'), 'E-Mail');
  assert.equal(label('column:email', 'none', 'no column'), 'No column');
  assert.equal(label('field:1', 'none'), 'None of these');
  assert.equal(label('field:1', 'email', 'E-mail'), 'E-mail');
  assert.equal(label('delimiter', '\t'), 'Tab');
  assert.equal(label('sheet', '#2'), '#2');
});

test('earlier answers are translated from their values', () => {
  const label = (id: string, value: string, language = 'en') => choiceLabel({ id }, { value, label: '' }, layout(), translatorOf(language), chooseLocale(language, []));
  assert.equal(label('format:born', 'MDY'), 'Month, day, year');
  assert.equal(label('format:born', 'DMY', 'de'), 'Tag, Monat, Jahr');
  assert.equal(label('format:amount', 'decimal=point group=comma'), 'Decimal point, commas between thousands');
  assert.equal(label('format:amount', 'decimal=comma group=point', 'de'), 'Dezimalkomma, Punkte zwischen Tausendern');
  assert.match(label('format:amount', 'decimal=point group=comma', 'ar'), /^\p{Script=Arabic}/u);
  assert.equal(label('format:born', 'de nl'), 'German and Dutch');
  assert.equal(label('format:born', 'de nl', 'de'), 'Deutsch und Niederländisch');
  assert.equal(label('format:born', 'of a later service'), 'of a later service');
  assert.equal(label('column:phone', '4,5'), 'Tel. 1 and Tel. 2');
  assert.equal(label('field:1', 'email'), 'E-mail');
});

const summary = (more: Parameters<typeof submission>[0], known: Partial<Parameters<typeof summaryOf>[1]> = {}) =>
  summaryOf(submission(more), { behavior: undefined, fileRows: 48_210, changes: 0, ...known }, t);
const countsIn = (of: ReturnType<typeof summary>) => of.counts.map(({ n, label }) => `${n} ${label}`);

test('the summary states exactly what is submitted', () => {
  const usual = summary({}, { changes: 2 });
  assert.deepEqual(countsIn(usual), ['48210 rows in the file', '2 changes on this page', '190 rows will be skipped because of errors', '48020 rows will be submitted']);
  assert.deepEqual([usual.title, usual.note, usual.action, usual.empty], ['Check what will be submitted', '', 'Submit 48,020 rows and skip 190', false]);
  const one = summary({ rowsLeftOut: 0, rows: 1 }, { fileRows: 1 });
  assert.deepEqual([...countsIn(one), one.action], ['1 row in the file', '1 row will be submitted', 'Submit 1 row']);
  const emptied = summary({ rowsLeftOut: 0, rowsWithError: 2 }, { behavior: 'INCLUDE_INVALID_ROWS' });
  assert.deepEqual([emptied.note, emptied.action], ['2 of them have errors. The invalid cells will be submitted empty.', 'Submit 48,020 rows']);
  assert.equal(summary({ rowsLeftOut: 0, rowsWithError: 1 }, { behavior: 'INCLUDE_INVALID_ROWS_AND_VALUES' }).note, '1 of them has errors and will be submitted unchanged.');
  const blocked = summary({ blocked: true, rowsWithError: 3, rowsLeftOut: 0 });
  assert.deepEqual([blocked.title, blocked.action, ...countsIn(blocked)], ['3 rows still have errors', null, '48210 rows in the file', '3 rows with errors']);
});

test('finding B10: a submission without rows is not offered as the usual thing to do', () => {
  const lines = (left: number) => {
    const { title, note, action, empty } = summary({ rows: 0, rowsLeftOut: left });
    return [title, note, action, empty];
  };
  assert.deepEqual(lines(0), ['There are no rows to submit', 'Add rows first, or finish this import without any.', 'Finish without rows', true]);
  assert.deepEqual(lines(3), ['There are no rows to submit', '', 'Submit no rows and skip 3 rows', true]);
});

test('finding B28: a choice is suggested only for a reason that sets it apart', () => {
  const choice = (value: string) => ({ value, label: value, reason: '', examples: [] });
  const asked = (more: object = {}) => ({ type: 'COLUMN_CONFLICT', id: 'column:email', choices: [choice('1'), choice('6')], ...more }) as Parameters<typeof isSuggested>[0];
  const reasons = (...list: (string | null)[]) => ({ message: {}, reasonOf: (value: string) => { const text = list[value === '1' ? 0 : 1]; return text ? { text } : null; } });
  assert.equal(isSuggested(asked(), '1', reasons('98% look like email addresses', '96% look like email addresses')), true);
  assert.equal(isSuggested(asked(), '6', reasons('98%', '96%')), false);
  assert.equal(isSuggested(asked(), '1', reasons('the same name', 'the same name')), false, 'a tie');
  assert.equal(isSuggested(asked({ id: 'format:born' }), '1', reasons(null, null)), false, 'an ambiguous date');
  assert.equal(isSuggested(asked({ id: 'sheet' }), '1', reasons('a', 'b')), false);
  assert.equal(isSuggested(asked({ type: 'UNMAPPED_FIELDS' }), '1', reasons('100% of the values are dates', null)), true);
  assert.equal(isSuggested(asked({ type: 'UNMAPPED_FIELDS' }), '1', reasons(null, null)), false, 'no values that distinguish a column');
  assert.equal(isSuggested(asked({ choices: [choice('1')] }), '1', reasons('a')), false);
});

test('countsOf returns the submitted rows', () => {
  const of = (invalidDataBehavior: string) => countsOf(facts({ num_data_rows: 10, num_rows_with_error: 3, invalidDataBehavior }));
  assert.deepEqual(of('REMOVE_INVALID_ROWS'), { sent: 7, left: 3, bad: 0 });
  assert.deepEqual(of('INCLUDE_INVALID_ROWS'), { sent: 10, left: 0, bad: 3 });
  assert.deepEqual(of('BLOCK_SUBMIT'), { sent: 10, left: 0, bad: 3 });
});

test('long text is truncated between characters', () => {
  assert.equal(truncate('short'), 'short');
  assert.equal(truncate('x'.repeat(1_000_000)).length, 121);
  assert.equal(truncate('😀'.repeat(5), 3), '😀😀😀…');
});

/** Returns a translator with loaded messages, and a function that renders messages. */
function page(language: string): { t: Translator<Key>; render: (message: Message | null) => string } {
  const locale = chooseLocale(language, []);
  locale.renderMessage = messageRenderer(JSON.parse(readFileSync(`../messages/${language}.json`, 'utf8')), locale);
  return { t: createTranslator<Key>(JSON.parse(readFileSync(`src/i18n/review.${language}.json`, 'utf8')), locale), render: (message) => (message ? messageText({ locale }, message) : '') };
}

const means = { code: 'mapping.header_means', params: { header: 'Mail', meaning: 'email', kind: { text: 'the field' }, name: 'E-mail' } };
const differ = { code: 'mapping.values_differ' };
const mail = (column: number, ...reasons: Message[]): Message => ({
  code: 'column.named_with_reason', params: { header: 'Mail', column, reason: reasons.length === 1 ? reasons[0]! : { code: 'list.clauses', params: { list: reasons } } },
});
const conflict = (code: string, params: Params, message = 'The sentence.') => ({
  id: 'column:email', type: 'COLUMN_CONFLICT' as const, message, messageCode: code, params: { field: 'E-mail', ...params },
  choices: ['1', '2'].map((value) => ({ value, label: `Mail (column ${Number(value) + 1})`, reason: '', examples: [] })),
});

test('shared reasons are part of the message, and other reasons belong to their choices', () => {
  const { t, render } = page('en');
  const explained = (question: Parameters<typeof explain>[0]) => {
    const { message, reasonOf } = explain(question, t);
    return [render(message), ...['1', '2', 'none'].map((value) => render(reasonOf(value)))];
  };
  const reason = render(means);
  assert.match(reason, /"Mail" means email/);
  assert.deepEqual(explained(conflict('question.columns_uncertain', { columns: [mail(2, means), mail(3, means, differ)] })), [`2 columns might match: ${reason}.`, '', render(differ), '']);
  assert.deepEqual(explained(conflict('question.column_uncertain', { column: mail(2, means) })), ['1 column might match.', reason, '', '']);
  const named = [2, 3].map((column) => ({ code: 'column.named', params: { header: 'Mail', column } }));
  assert.deepEqual(explained(conflict('question.columns_fit_field', { n: 7, columns: { code: 'list.more', params: { list: named, n: 5 } } })), ['7 columns might match.', '', '', '']);
  assert.equal(page('de').render(explain(conflict('question.column_uncertain', { column: mail(2, means) }), page('de').t).message), '1 Spalte könnte passen.');
});

test('a question that cannot be rendered keeps its English sentence', () => {
  const { t, render } = page('de');
  const later = conflict('question.columns_uncertain', { columns: [mail(2, { code: 'mapping.of_a_later_service' })] });
  assert.equal(render(explain(later, t).message), 'The sentence.');
  assert.equal(explain(later, t).reasonOf('1'), null);
  const own = { ...questions.born, message: 'Welches Format?' };
  assert.equal(render(explain(own, t).message), 'Welches Format?');
  // Before the catalogue is loaded, only the English sentences are available.
  assert.equal(explain(conflict('question.column_uncertain', { column: mail(2, means) }), translatorOf('en')).message.text, 'The sentence.');
});

test('columns with the same name are distinguished by number', () => {
  const file = layout();
  const sameHeaders = { ...file, columns: file.columns.map((column) => (column.index < 2 ? { ...column, header: 'Mail' } : column)) };
  const label = (value: string) => choiceLabel({ id: 'column:email' }, { value, label: '' }, sameHeaders, t, chooseLocale('en', []));
  assert.deepEqual([label('0'), label('1')], ['Mail (column 1)', 'Mail (column 2)']);
  assert.equal(label('2'), sameHeaders.columns[2]!.header);
});

test('the text in the file is shown exactly if it differs from the value', () => {
  const shown = [
    { value: 'chen@example.com', text: ' CHEN@EXAMPLE.COM ', want: ' CHEN@EXAMPLE.COM ' },
    { value: 'chen@example.com', text: ' chen@example.com ', want: ' chen@example.com ' },
    { value: '  Müller,  Jürgen ', text: '  Müller,  Jürgen ', want: '' },
    { value: 'Ada', text: 'Ada', want: '' },
    { value: 'filled in', text: '  ', want: '' },
  ];
  for (const { want, ...cell } of shown) assert.equal(changedTextOf(cell), want);
});
