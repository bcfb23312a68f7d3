import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Params } from '../../src/i18n/types';
import type { Scene } from './fake-service';
import { Pages, type Opened } from './pages';
import { openStep } from './scene-acts';
import { asking, facts, layout, questions, scenes, submission } from './scenes';

let pages: Pages;
before(async () => void (pages = await Pages.open()));
after(() => pages.close());

const scene = (name: string) => scenes[name]!();
const heading = ({ page }: Opened) => page.getByRole('heading', { level: 1 });
/** Returns the bodies of the calls to an operation. */
const sent = ({ fake }: Opened, name: string) => fake.calls.filter((call) => call.startsWith(`POST ${name}`)).map((call) => JSON.parse(call.slice(name.length + 6) || 'null'));

for (const [name, title, says] of [
  ['awaiting', 'Waiting for the file', 'You can close this page'],
  ['pending', 'The file is in the queue', 'This page continues automatically.'],
  ['running', 'Reading the file', 'This page continues automatically.'],
  ['failed', '“kunden_export.csv” couldn’t be imported', 'password-protected workbook'],
  ['done', 'Import complete', '48,020'],
  ['expired', 'Your session has ended', 'open the link you received again'],
  ['denied', 'This link doesn’t work', 'including the long part after the #'],
  ['gone', 'This import no longer exists', 'contact the person who sent you the link'],
  ['broken', 'Something went wrong on our side', 'req_7Q2M4'],
  ['damaged', 'The stored rows are damaged', 'Run again'],
  ['lost', 'The service isn’t responding', 'Nothing is lost'],
] as const) {
  test(`the page shows its state: ${name}`, async () => {
    const opened = await pages.review(scene(name));
    await heading(opened).filter({ hasText: title }).waitFor();
    assert.ok((await opened.page.locator('main').innerText()).includes(says));
    assert.deepEqual(opened.pageErrors, []);
    await opened.close();
  });
}

test('finding B25: an address without its token does not claim that a session has ended', async () => {
  const none = { status: 401, code: 'unauthorized', message_code: 'review.no_cookie', detail: 'This request needs the review cookie.' };
  const opened = await pages.review({ ...scene('columns'), refuse: { '*': none } }, '', {}, '');
  await heading(opened).filter({ hasText: 'Open the link you received' }).waitFor();
  assert.ok((await opened.page.locator('main').innerText()).includes('the part after the #'));
  await opened.close();
  // A session that ends while the page is open is reported as such.
  const open = await pages.review(scene('values'));
  await heading(open).filter({ hasText: 'Match the columns' }).waitFor();
  open.fake.scene = { ...open.fake.scene, refuse: { '*': none } };
  open.fake.emit();
  await heading(open).filter({ hasText: 'Your session has ended' }).waitFor();
  await open.close();
});

test('an import with damaged rows runs again, after a warning about the changes that this discards', async () => {
  const opened = await pages.review(scene('damaged'));
  const { page, fake } = opened;
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  await page.getByRole('button', { name: 'Run again' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This discards 3 changes').waitFor();
  fake.scene = { ...fake.scene, refuse: {}, facts: facts({ status: 'PENDING', num_data_rows: 0 }) };
  await dialog.getByRole('button', { name: 'Discard 3 changes and read again' }).click();
  await heading(opened).filter({ hasText: 'The file is in the queue' }).waitFor();
  assert.deepEqual(sent(opened, 'run-again/'), [{ discard: false }, { discard: true }]);
  await opened.close();
});

test('finding B28: a suggestion has a reason and no tick', async () => {
  const dates = await pages.review(scene('values'));
  await dates.page.locator('.choice').first().waitFor();
  assert.equal(await dates.page.locator('.choice-best').count(), 0, 'ambiguous dates');
  await dates.close();
  const columns = await pages.review(scene('columns-open'));
  const choice = columns.page.locator('.choice', { has: columns.page.locator('.choice-best') });
  assert.match((await choice.innerText()), /E-Mail\s*Suggested\s*98% of the values look like email addresses/);
  assert.equal(await choice.locator('.choice-best svg').count(), 0);
  await columns.close();
});

test('the token is removed from the URL, and a reload works without it', async () => {
  const opened = await pages.review(scene('done'));
  await heading(opened).filter({ hasText: 'complete' }).waitFor();
  assert.equal(new URL(opened.page.url()).hash, '');
  opened.fake.calls.length = 0;
  await opened.page.reload();
  await heading(opened).filter({ hasText: 'complete' }).waitFor();
  assert.deepEqual(opened.fake.calls, ['GET']);
  // Opening the same link in the same tab starts a new session.
  await opened.page.goto(`${opened.page.url()}#token`);
  await opened.page.waitForFunction(() => location.hash === '');
  await heading(opened).filter({ hasText: 'complete' }).waitFor();
  assert.ok(opened.fake.calls.includes('POST session/'));
  await opened.close();
});

test('the review appears automatically when the file has been read', async () => {
  const opened = await pages.review(scene('running'));
  await heading(opened).filter({ hasText: 'Reading the file' }).waitFor();
  opened.fake.scene = scene('values');
  opened.fake.emit();
  await heading(opened).filter({ hasText: 'Match the columns' }).waitFor();
  await opened.close();
});

test('questions can be answered with digit keys', async () => {
  const opened = await pages.review(scene('values'));
  await heading(opened).waitFor();
  const onward = opened.page.locator('.column-foot button');
  assert.equal(await onward.isDisabled(), true);
  await opened.page.keyboard.press('2');
  await opened.page.keyboard.press('9');
  await opened.page.keyboard.press('1');
  await opened.page.waitForFunction(() => document.activeElement?.matches('.column-foot button'));
  opened.fake.then['POST questions/'] = (now) => Object.assign(now, { facts: facts({ status: 'PENDING' }) });
  await opened.page.keyboard.press('Enter');
  await heading(opened).filter({ hasText: 'The file is in the queue' }).waitFor();
  assert.deepEqual(sent(opened, 'questions/'), [{ answers: { 'format:born': 'mdy', 'format:amount': '1.234' } }]);
  await opened.close();
});

test('a choice shows cells with their parsed values', async () => {
  const opened = await pages.review(scene('values'), 'lang=de');
  await heading(opened).waitFor();
  const shown = async (value: string) => {
    const texts = await opened.page.locator('.choice', { has: opened.page.locator(`input[value="${value}"]`) }).locator('.example').allInnerTexts();
    return texts.map((text) => text.replace(/\s+/g, ' '));
  };
  assert.deepEqual(await shown('mdy'), ['01/02/2020 2. Januar 2020', '03/04/1988 4. März 1988', '11/12/1999 12. November 1999']);
  assert.deepEqual(await shown('1,234'), ['1.234 1,234', '2.500 2,5', '10.000 10']);
  await opened.close();
});

test('a question without readings shows its examples', async () => {
  const choices = questions.born.choices.map(({ value, label, reason, examples }) => ({ value, label, reason, examples }));
  const opened = await pages.review({ ...scene('values'), questions: asking({ ...questions.born, choices }) });
  await heading(opened).waitFor();
  assert.deepEqual(await opened.page.locator('.example').allInnerTexts(), choices.flatMap(({ examples }) => examples));
  await opened.close();
});

test('continuing to the cells moves the focus to their beginning', async () => {
  const opened = await pages.review(scene('values'));
  await heading(opened).waitFor();
  for (const key of ['2', '1']) await opened.page.keyboard.press(key);
  await opened.page.waitForFunction(() => document.activeElement?.matches('.column-foot button'));
  opened.fake.then['POST questions/'] = (now) => Object.assign(now, { facts: facts(), questions: asking() });
  await opened.page.keyboard.press('Enter');
  await opened.page.locator('.ig-row:not(.is-waiting) .ig-cell').first().waitFor();
  assert.equal(await opened.page.evaluate(() => `${document.activeElement!.tagName} ${document.activeElement!.textContent}`), 'H1 1 of 5 rows needs attention');
  await opened.page.keyboard.press('Alt+ArrowDown');
  await opened.page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  await opened.close();
});

test('earlier answers are shown in the language of the page', async () => {
  const answers = { 'format:born': 'MDY', 'format:amount': 'decimal=comma group=point' };
  for (const [lang, born, amount] of [
    ['en', 'Month, day, year', 'Decimal comma, periods between thousands'],
    ['de', 'Monat, Tag, Jahr', 'Dezimalkomma, Punkte zwischen Tausendern'],
    ['ar', 'الشهر ثم اليوم ثم السنة', 'فاصلة عشرية، ونقاط بين الآلاف'],
  ] as const) {
    const opened = await pages.review({ facts: facts(), layout: layout({ answers }), submission: submission() }, `lang=${lang}`);
    await openStep(opened.page, 'columns');
    await opened.page.locator('.decided-value').first().waitFor();
    assert.deepEqual(await opened.page.locator('.decided-value').allInnerTexts(), [born, amount]);
    await opened.close();
  }
});

test('file properties are shown in the language of the page', async () => {
  const evidenceOf = (choice: string, value: string, reason: string, reasonCode: string, reasonParams: Params) => ({ choice, value, reason, reasonCode, reasonParams, answer: '', rivals: [] });
  const next = { code: 'delimiter.next_best', params: { delimiter: { code: 'delimiter.comma' }, percent: 9 } };
  const lines = { code: 'header.lines_above', params: { n: 1 } };
  const evidence = [
    evidenceOf('delimiter', '\t', 'The English sentence.', 'list.clauses', { list: [{ code: 'delimiter.sep_line' }, next] }),
    evidenceOf('header row', 'names', '1 line is above it', lines.code, lines.params),
    evidenceOf('encoding', 'UTF-9', 'The sentence of a later service.', 'encoding.of_a_later_service', {}),
  ];
  for (const [lang, ...says] of [
    ['en', 'Tab', 'the sep= line defines it; the next best separator is a comma, with 9% of the best score', 'Names in the file', '1 line is above it', 'UTF-9', 'The sentence of a later service.'],
    ['de', 'Tabulator', 'in der Zeile sep= festgelegt; nächstbestes Trennzeichen: ein Komma (9 % der Wertung)', 'Namen in der Datei', 'darüber steht 1 Zeile', 'UTF-9', 'The sentence of a later service.'],
  ] as const) {
    const opened = await pages.review({ ...scene('columns'), layout: layout({ evidence }) }, `lang=${lang}`);
    await openStep(opened.page, 'table');
    await opened.page.locator('.reading summary').click();
    const shown = opened.page.locator('.reading strong, .reading dd .quiet');
    await shown.filter({ hasText: says[1] }).waitFor();
    assert.deepEqual(await shown.allTextContents(), says);
    assert.deepEqual(await opened.page.locator('.reading [lang=en]').allTextContents(), [says[5]]);
    await opened.close();
  }
});

test('the likeliest header row is marked in the file, and none is preselected', async () => {
  const opened = await pages.review(scene('header'));
  await opened.page.locator('.top-table').waitFor();
  assert.match(await opened.page.locator('.top-table tr', { has: opened.page.locator('.choice-best') }).innerText(), /^3\s+Suggested\s+Name\s+E-Mail/);
  assert.equal(await opened.page.locator('input:checked').count(), 0);
  assert.equal(await opened.page.locator('.column-foot .k-primary').isDisabled(), true);
  await opened.page.keyboard.press('1');
  assert.match(await opened.page.locator('.top-said').innerText(), /Row 3 contains the column names. The 2 rows above it are not imported./);
  await opened.page.waitForFunction(() => document.activeElement?.matches('.column-foot .k-primary'));
  await opened.page.keyboard.press('Enter');
  await opened.page.waitForTimeout(100);
  assert.deepEqual(sent(opened, 'questions/'), [{ answers: { header_row: '3' } }]);
  await opened.close();
});

/** Chooses the second sheet in a scene that asks for the sheet. */
async function chooseSheet(opened: Opened) {
  await opened.page.getByRole('tab', { name: 'Kontakte 2024' }).click();
  await opened.page.getByRole('cell', { name: 'dana@example.org' }).waitFor();
  return opened.page.getByRole('button', { name: 'Import “Kontakte 2024”' });
}

test('the sheet in view is imported, and the others are a click away', async () => {
  const opened = await pages.review(scene('sheet'));
  await opened.page.getByRole('button', { name: 'Import “Kontakte 2025”' }).waitFor();
  await (await chooseSheet(opened)).click();
  await opened.page.waitForTimeout(100);
  assert.deepEqual(sent(opened, 'questions/'), [{ answers: { sheet: 'Kontakte 2024' } }]);
  await opened.close();
});

test('the sheet can be changed without a question, together with its header row', async () => {
  const opened = await pages.review(scene('workbook'));
  await openStep(opened.page, 'table');
  await opened.page.locator('.top-table').waitFor();
  await opened.page.getByRole('tab', { name: 'Kontakte 2025', selected: true }).waitFor();
  assert.equal(await opened.page.locator('.top-table .is-header').count(), 1);
  await opened.page.getByRole('tab', { name: 'Kontakte 2024' }).click();
  await opened.page.getByRole('cell', { name: 'dana@example.org' }).waitFor();
  assert.equal(await opened.page.locator('.top-table .is-header').count(), 0);
  await opened.page.getByRole('radio', { name: 'Row 1 contains the column names' }).check({ force: true });
  await opened.page.getByRole('button', { name: 'Read the file again' }).click();
  await opened.page.waitForTimeout(100);
  assert.deepEqual(sent(opened, 'layout/'), [{ answers: { sheet: 'Kontakte 2024', header_row: '1' } }]);
  await opened.close();
});

test('a file whose beginning cannot be shown has its questions as cards', async () => {
  const opened = await pages.review({ ...scene('header'), refuse: { 'GET preview/': { status: 409, code: 'no_preview', detail: 'The file is damaged.' } } });
  await opened.page.getByRole('alert').getByText('can’t be shown here').waitFor();
  await opened.page.locator('.card .choice').nth(1).click();
  await opened.page.getByRole('button', { name: 'Continue' }).click();
  await opened.page.waitForTimeout(100);
  assert.deepEqual(sent(opened, 'questions/'), [{ answers: { header_row: '1' } }]);
  await opened.close();
});

test('a rejected answer is reported and kept', async () => {
  const opened = await pages.review(scene('sheet'));
  const onward = await chooseSheet(opened);
  opened.fake.scene.refuse = { 'POST questions/': { status: 409, code: 'not_in_review', detail: 'The import is RUNNING; someone else answered.' } };
  await onward.click();
  await opened.page.getByRole('alert').getByText('someone else answered').waitFor();
  await opened.page.getByRole('tab', { name: 'Kontakte 2024', selected: true }).waitFor();
  await opened.close();
});

test('an answer that would discard cell changes asks for confirmation', async () => {
  const opened = await pages.review(scene('sheet'));
  const onward = await chooseSheet(opened);
  opened.fake.scene.refuse = { 'POST questions/': { status: 409, code: 'discards_changes', detail: 'This discards 7 changes.', changes: 7 } };
  await onward.click();
  await opened.page.getByRole('dialog').getByText('This discards 7 changes to the cells').waitFor();
  await opened.page.getByRole('button', { name: 'Keep 7 changes' }).click();
  assert.equal(await opened.page.getByRole('dialog').count(), 0);
  assert.equal(await opened.page.getByText('Your answer wasn’t accepted').count(), 0);
  await onward.click();
  opened.fake.scene.refuse = {};
  await opened.page.getByRole('button', { name: 'Discard 7 changes and read again' }).click();
  await opened.page.waitForFunction(() => document.querySelector('dialog') === null);
  assert.deepEqual(sent(opened, 'questions/').map((one) => (one as { discard?: boolean }).discard), [undefined, undefined, true]);
  await opened.close();
});

/** Opens the columns step from the cells step. */
async function columns(scene: Scene): Promise<Opened> {
  const opened = await pages.review(scene);
  await openStep(opened.page, 'columns');
  await heading(opened).filter({ hasText: 'Match the columns' }).waitFor();
  return opened;
}

async function assignField(opened: Opened, column: string, field: string): Promise<void> {
  await opened.page.getByRole('button', { name: new RegExp(`^Field for the column ${column}`) }).click();
  await opened.page.getByRole('option', { name: field }).click();
}

test('a column can be assigned to a different field', async () => {
  const opened = await columns(scene('columns'));
  await assignField(opened, 'interne Notiz', 'Company');
  assert.equal(await opened.page.locator('.column-line.is-changed').count(), 1);
  await opened.page.getByRole('button', { name: 'Change 1 column and read again' }).click();
  await opened.page.waitForFunction(() => document.querySelector('.column-line.is-changed') === null);
  assert.deepEqual(sent(opened, 'layout/'), [{ answers: { 'column:company': '6' } }]);
  await opened.close();
});

test('the number of discarded cell changes is shown first', async () => {
  const opened = await columns({ facts: facts(), layout: layout({ changes: 12 }) });
  await assignField(opened, 'Land', 'Not imported');
  const apply = opened.page.getByRole('button', { name: 'Change 1 column and read again' });
  await apply.click();
  await opened.page.getByRole('dialog').getByText('This discards 12 changes to the cells').waitFor();
  await opened.page.keyboard.press('Escape');
  assert.equal(await opened.page.getByRole('dialog').count(), 0);
  assert.equal(await apply.evaluate((element) => element === document.activeElement), true, 'the focus returns');
  assert.deepEqual(sent(opened, 'layout/'), []);
  await apply.click();
  await opened.page.getByRole('button', { name: 'Discard 12 changes and read again' }).click();
  await opened.page.waitForFunction(() => document.querySelector('dialog') === null);
  assert.deepEqual(sent(opened, 'layout/'), [{ answers: { 'field:2': 'none', 'column:country': 'none' } }]);
  await opened.close();
});

test('a change that leaves a required field without a column cannot be sent', async () => {
  const opened = await columns(scene('columns'));
  await assignField(opened, 'Name', 'Not imported');
  await opened.page.getByText('A required field has no column', { exact: true }).waitFor();
  const apply = opened.page.getByRole('button', { name: 'read again' });
  assert.equal(await apply.isDisabled(), true);
  await opened.page.getByRole('button', { name: 'Column for Name' }).click();
  await opened.page.getByRole('option', { name: 'interne Notiz' }).click();
  assert.equal(await apply.isDisabled(), false);
  await opened.close();
});

test('columns are in groups, and the reasons for a match are shown on demand', async () => {
  const opened = await columns(scene('columns'));
  const { page } = opened;
  assert.deepEqual((await page.locator('.column-group h2').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')), ['Matched 6', 'Not imported 2']);
  assert.equal(await page.getByText('98% of the values look like email addresses').count(), 0);
  await page.getByRole('button', { name: 'Why? E-Mail' }).click();
  await page.getByText('98% of the values look like email addresses').waitFor();
  await page.getByText('First and last name, as on the contract').waitFor();
  await page.getByRole('button', { name: 'Field for the column Name Name required' }).waitFor();
  await opened.close();
});

test('each step begins with the focus on its heading', async () => {
  const opened = await pages.review(scene('cells'));
  await opened.page.locator('.ig-row:not(.is-waiting) .ig-cell').first().waitFor();
  for (const [step, title] of [['table', 'Check the table'], ['columns', 'Match the columns'], ['confirm', 'Check what will be submitted'], ['cells', '1 of 5 rows needs attention']] as const) {
    if (step === 'confirm') opened.fake.scene.submission = submission({ rows: 4, rowsLeftOut: 1 });
    await openStep(opened.page, step);
    await opened.page.waitForFunction((wanted) => document.activeElement?.tagName === 'H1' && document.activeElement.textContent === wanted, title);
    assert.equal(await opened.page.locator('[aria-current=step]').count(), 1);
  }
  assert.deepEqual(opened.pageErrors, []);
  await opened.close();
});

test('continuing is the obvious thing to do only if all rows are ready', async () => {
  const open = await pages.review(scene('cells'));
  await open.page.locator('.fix-head').getByRole('heading', { name: '1 of 5 rows needs attention' }).waitFor();
  assert.equal(await open.page.locator('.fix-continue.k-primary').count(), 0);
  assert.equal(await open.page.locator('.fix-head [role=progressbar]').getAttribute('aria-valuenow'), '0');
  await open.close();
  const ready = await pages.review(scene('ready'));
  await ready.page.locator('.fix-head').getByRole('heading', { name: 'All 5 rows are ready' }).waitFor();
  await ready.page.locator('.fix-continue.k-primary').waitFor();
  await ready.close();
});

test('a header row that is not among the choices of its question can be clicked in the file', async () => {
  const opened = await pages.review(scene('header'));
  await opened.page.locator('.top-table tbody tr').nth(4).click();
  const answered = opened.page.waitForResponse((response) => response.url().endsWith('/layout/') && response.request().method() === 'POST');
  await opened.page.getByRole('button', { name: 'Continue' }).click();
  await answered;
  assert.deepEqual(sent(opened, 'layout/'), [{ answers: { header_row: '5' } }]);
  await opened.close();
});

test('the header row can be changed without a question, after a warning about lost changes', async () => {
  const opened = await pages.review(scene('table'));
  await openStep(opened.page, 'table');
  await opened.page.locator('.top-table').waitFor();
  assert.equal(await opened.page.locator('.top-table .is-above').count(), 2);
  await opened.page.getByRole('radio', { name: 'Row 4 contains the column names' }).check({ force: true });
  assert.equal(await opened.page.locator('.top-table .is-above').count(), 3);
  await opened.page.getByRole('button', { name: 'Read the file again' }).click();
  await opened.page.getByRole('button', { name: 'Discard 3 changes and read again' }).click();
  await opened.page.waitForFunction(() => document.querySelector('dialog') === null);
  assert.deepEqual(sent(opened, 'layout/'), [{ answers: { header_row: '4' } }]);
  await opened.close();
});

test('an answer can be withdrawn', async () => {
  const opened = await pages.review(scene('values'));
  await opened.page.locator('.decided').getByRole('button', { name: 'Change' }).click();
  await opened.page.waitForFunction(() => document.querySelector('.decided') !== null);
  await new Promise((done) => setTimeout(done, 100));
  assert.deepEqual(sent(opened, 'layout/'), [{ answers: { 'format:joined': null } }]);
  await opened.close();
});

test('the confirmation shows the counts and the first rows, and submitting completes the import', async () => {
  const opened = await pages.review(scene('confirm'));
  const { page } = opened;
  await openStep(page, 'confirm');
  await page.locator('.confirm-counts').waitFor();
  assert.deepEqual((await page.locator('.confirm-counts > div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')).sort(), ['changes on this page 12', 'rows in the file 48,210', 'rows will be skipped because of errors 190', 'rows will be submitted 48,020']);
  await page.locator('.reasons').getByText('Invalid email address.').waitFor();
  assert.equal((await page.locator('.first-rows td').nth(1).innerText()).replace(/\s+/g, ' '), 'anna@example.org In the file: Anna@Example.org');
  assert.equal(await page.locator('.first-rows tbody tr').count(), 4);
  opened.fake.then['POST submit/'] = (now) => Object.assign(now.facts, { status: 'SUCCESSFUL', finished: '2026-11-21T14:03:00Z' });
  await page.getByRole('button', { name: 'Submit 48,020 rows and skip 190' }).click();
  await heading(opened).filter({ hasText: 'Import complete' }).waitFor();
  assert.equal(await page.locator('.rail').count(), 0);
  assert.deepEqual(opened.pageErrors, []);
  await opened.close();
});

test('an import is submitted only once', async () => {
  const opened = await pages.review(scene('columns'));
  await openStep(opened.page, 'confirm');
  const submit = opened.page.getByRole('button', { name: 'Submit 48,020 rows and skip 190' });
  await submit.waitFor();
  opened.fake.scene.slow = 1000;
  await Promise.all([opened.page.waitForRequest((asked) => asked.method() === 'POST' && asked.url().endsWith('/submit/')), submit.click()]);
  await submit.click({ force: true });
  await opened.page.locator('.column-foot .is-busy').waitFor({ state: 'detached', timeout: 20_000 });
  assert.equal(sent(opened, 'submit/').length, 1, 'clicked twice, sent once');
  await opened.close();
});

test('a submission canceled by a hook shows the reason', async () => {
  const opened = await pages.review(scene('cancelled'));
  await openStep(opened.page, 'confirm');
  await opened.page.getByRole('button', { name: 'Submit 48,020 rows and skip 190' }).click();
  await opened.page.getByRole('alert').getByText('The month is closed already.').waitFor();
  await opened.close();
});

test('errors that prevent submitting are shown', async () => {
  const opened = await columns(scene('blocked'));
  await openStep(opened.page, 'confirm');
  await heading(opened).filter({ hasText: '190 rows still have errors' }).waitFor();
  assert.equal(await opened.page.getByRole('button', { name: /^Submit/ }).count(), 0);
  await opened.page.getByRole('button', { name: 'Show errors' }).click();
  await opened.page.locator('.ig-row:not(.is-waiting) .ig-cell').first().waitFor();
  await opened.page.getByRole('tab', { name: 'Problems', selected: true }).waitFor();
  await opened.close();
});

test('rows changed by somebody else are counted again', async () => {
  const opened = await pages.review({ ...scene('columns'), refuse: { 'POST submit/': { status: 409, code: 'rows_changed', detail: 'Someone changed rows at the same moment.' } } });
  await openStep(opened.page, 'confirm');
  const submit = opened.page.getByRole('button', { name: 'Submit 48,020 rows and skip 190' });
  await submit.waitFor();
  opened.fake.scene.submission = submission({ rows: 48_021, rowsLeftOut: 189 });
  await submit.click();
  await opened.page.getByRole('button', { name: 'Submit 48,021 rows and skip 189' }).waitFor();
  await opened.page.getByRole('alert').getByText('at the same moment').waitFor();
  await opened.close();
});

test('a lost connection is reported until it is restored', async () => {
  const opened = await pages.review(scene('values'));
  await heading(opened).waitFor();
  opened.fake.scene.dead = true;
  opened.fake.cut();
  await opened.page.getByText('You’re offline.').waitFor({ timeout: 15_000 });
  const again = await opened.page.getByRole('button', { name: 'Try now' }).elementHandle();
  opened.fake.scene.dead = false;
  // The page also tries by itself, which removes the button, so do not wait for it to be stable.
  await again!.evaluate((button: HTMLElement) => button.click());
  await opened.page.getByText('You’re offline.').waitFor({ state: 'detached' });
  assert.equal(await heading(opened).innerText(), 'Match the columns');
  await opened.close();
});

test('a missing network is reported at once', async () => {
  const opened = await pages.review(scene('values'));
  await heading(opened).waitFor();
  await opened.page.context().setOffline(true);
  await opened.page.getByText('You’re offline.').waitFor();
  await opened.page.context().setOffline(false);
  await opened.page.getByText('You’re offline.').waitFor({ state: 'detached' });
  await opened.close();
});

test('the language follows the browser, and ?lang= overrides it', async () => {
  for (const [query, locale, lang, dir, title] of [
    ['', 'de-AT', 'de-AT', 'ltr', 'Import abgeschlossen'],
    ['lang=ar', 'de-AT', 'ar', 'rtl', 'اكتمل الاستيراد'],
    ['', 'fr-FR', 'en', 'ltr', 'Import complete'],
  ] as const) {
    const opened = await pages.review(scene('done'), query, { locale });
    await heading(opened).filter({ hasText: title }).waitFor();
    assert.deepEqual(await opened.page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]), [lang, dir]);
    await opened.close();
  }
});

test('valid styles of a schema are applied, and invalid ones ignored', async () => {
  const styleOverrides = { global: { backgroundColor: '#fff8e7', textColor: 'expression(alert(1))', borderRadius: '2px' }, primaryButton: { backgroundColor: 'rebeccapurple', textColor: '#663399' } };
  const opened = await pages.review({ ...scene('columns'), facts: facts({ styleOverrides }) }, '', { colorScheme: 'dark' });
  await openStep(opened.page, 'columns');
  const button = opened.page.locator('.column-foot .k-primary');
  await button.waitFor();
  const applied = await button.evaluate((element) => {
    const style = getComputedStyle(element);
    return [style.backgroundColor, style.borderRadius, getComputedStyle(document.documentElement).backgroundColor, style.color === style.backgroundColor];
  });
  assert.deepEqual(applied, ['rgb(102, 51, 153)', '2px', 'rgb(255, 248, 231)', false]);
  assert.deepEqual(opened.pageErrors, []);
  await opened.close();
});

test('hostile names, headers and values are shown as text', async () => {
  const bad = '<img src=x onerror="document.title=1"><script>document.title=2</script>\u202Egnp.\u0000\u0007';
  const hostile = {
    facts: facts({ title: bad, original_filename: bad, hasRows: false }),
    layout: layout({ columns: [{ index: 0, header: bad, field: null, examples: [bad, 'x'.repeat(100_000)] }], fields: [], evidence: [{ choice: 'encoding', value: bad, reason: bad, answer: '', rivals: [] }] }),
    questions: asking({ ...questions.born, message: bad, choices: questions.born.choices.map((one) => ({ ...one, label: bad, reason: bad, examples: [bad] })) }),
  };
  const opened = await pages.review(hostile);
  await heading(opened).waitFor();
  await openStep(opened.page, 'columns');
  await heading(opened).filter({ hasText: 'Match the columns' }).waitFor();
  assert.equal(await opened.page.locator('main img, main script').count(), 0);
  assert.ok(/<img/.test(await opened.page.locator('.column-header').innerText()));
  assert.ok((await opened.page.title()).includes('<script>'));
  assert.deepEqual(opened.pageErrors, []);
  await opened.close();
});
