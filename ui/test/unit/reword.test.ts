import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { explain } from '../../src/app/questions/explanation';
import { choiceLabel } from '../../src/app/questions/headings';
import type { Key } from '../../src/app/context';
import { rewording } from '../../src/words/service/rewording';
import { placesIn } from '../../src/words/service/places';
import type { Catalogue } from '../../src/words/types';
import { chooseLocale, reword, sayer, type Language } from '../../src/words/words';
import { layout } from '../browser/scenes';

const folder = 'src/words/service';
const catalogue = (path: string): Catalogue => JSON.parse(readFileSync(path, 'utf8'));
const english = catalogue(`${folder}/en.json`);
const words = (language: Language) => {
  const locale = chooseLocale(language, []);
  return rewording(sayer<string>(catalogue(`${folder}/${language}.json`), locale), locale);
};
const german = words('de');
const arabic = words('ar');
const braces = (entry: Catalogue[string]): Set<string> => new Set([...JSON.stringify(entry).matchAll(/\{(\w+)\}/g)].map((found) => found[1]!));
const forms = (entry: Catalogue[string]): string[] => (typeof entry === 'string' ? [entry] : Object.values(entry ?? {}));

/** Where the service writes what it says: the sentences of en.json are copied from there. */
const origins = [
  'engine', 'mapping', 'source', 'server/service', 'source/charset', 'source/csv', 'source/headerdetect', 'validate', 'celltype',
  'source/jsonrows', 'source/archive', 'source/workbook', 'source/spreadsheetml', 'server/draft', 'source/xlsx', 'source/xls', 'source/ods', 'source/parquet', 'source/htmltable', 'celltype/date', 'celltype/number', 'celltype/phone',
];

/** What is wrong with a regular expression is said by the library of Go. */
const ofGo = 'fault.';

/** Where the service puts a sentence together. */
const seams = /"?\{\w+\}"?|[.:,;] | with |\b(?:point|comma|They|none|hold|filled|row)\b|% /;

test('the service says what the patterns look for', () => {
  const go = origins.map((path) => join('..', path)).filter(existsSync)
    .flatMap((path) => readdirSync(path).filter((name) => name.endsWith('.go') && !name.endsWith('_test.go')).map((name) => readFileSync(join(path, name), 'utf8')))
    .join('\n').replaceAll('%%', '%').replaceAll('\\"', '"');
  assert.ok(go.length > 100_000, 'the sources of the service lie beside the pages');
  const own = Object.entries(english).filter(([key]) => !key.startsWith(ofGo));
  const lost = own.flatMap(([key, entry]) => forms(entry).flatMap((text) => text.split(seams))
    .map((part) => part.trim().replace(/[.,:;]$/, '')).filter((part) => part.length > 5 && !go.includes(part)).map((part) => `${key}: ${part}`));
  assert.deepEqual(lost, []);
});

test('each language has each sentence, with what stands in its braces', () => {
  for (const language of ['de', 'ar'] as const) {
    const own = catalogue(`${folder}/${language}.json`);
    assert.deepEqual(Object.keys(own), Object.keys(english), language);
    const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, entry] of Object.entries(own)) {
      assert.deepEqual([...braces(entry)].sort(), [...braces(english[key]!)].sort(), `${language}: ${key}`);
      if (typeof entry !== 'string') for (const form of needed) assert.ok(entry[form], `${language}: ${key}.${form}`);
    }
  }
});

const cases: [code: string, says: string, worded: string][] = [
  // validate
  ['required', 'This cell is empty and must not be. Fill it in.', 'Diese Zelle ist leer und darf es nicht sein. Füllen Sie sie aus.'],
  ['length', 'This text must have at most 1 character.', 'Dieser Text darf höchstens 1 Zeichen haben.'],
  ['length', 'This text must have 2 to 1000 characters.', 'Dieser Text muss 2 bis 1.000 Zeichen haben.'],
  ['unique_case_insensitive', 'This value is in several rows, and each row must have its own.', 'Dieser Wert steht in mehreren Zeilen, und jede Zeile muss einen eigenen haben.'],
  ['unique_with', 'The values of "Vor\\"name", "B", "C", "D", "E" and 2 more together are in several rows, and each row must have its own.',
    'Die Werte von "Vor\\"name", "B", "C", "D", "E" und 2 weitere stehen zusammen in mehreren Zeilen, und jede Zeile muss eigene haben.'],
  ['require_with', 'This cell must be filled where "A \\"b\\"" or "C" is filled.', 'Diese Zelle muss ausgefüllt sein, wenn „A "b"“ oder „C“ ausgefüllt ist.'],
  ['require_without_all', 'This cell must be filled where "A" and "C" are empty.', 'Diese Zelle muss ausgefüllt sein, wenn „A“ und „C“ leer sind.'],
  ['require_with_values', 'This cell must be filled where "A" is "x" or "B" is "y".', 'Diese Zelle muss ausgefüllt sein, wenn „A“ gleich „x“ ist oder „B“ gleich „y“ ist.'],
  // celltype
  ['date', 'This is not a date that we can read. Write a date like 2021-03-28.', 'Das lässt sich nicht als Datum lesen. Schreiben Sie ein Datum wie 2021-03-28.'],
  ['datetime', 'This text is too long to be a date with a time. Write it like 2021-03-28 15:20.', 'Dieser Text ist zu lang, um als Datum mit Uhrzeit gelesen zu werden. Schreiben Sie es wie 2021-03-28 15:20.'],
  ['number', 'This number must be at most 12345678901234567890.5.', 'Diese Zahl darf höchstens 12345678901234567890.5 sein.'],
  ['checkbox', 'This is none of the values that are taken: yes, no.', 'Das ist keiner der Werte, die angenommen werden: yes, no.'],
  ['multi_select', 'This is none of the values that are taken: a, b and 12 more.', 'Das ist keiner der Werte, die angenommen werden: a, b und 12 weitere.'],
  ['value_mapped', 'This was taken for "Müller \\u0026 Söhne".', 'Das wurde als „Müller & Söhne“ gelesen.'],
  ['phone_number', 'This is too short for a phone number of DE (+49). Add the digits that are missing, such as the area code.',
    'Das ist zu kurz für eine Telefonnummer von DE (+49). Ergänzen Sie die fehlenden Ziffern, etwa die Ortsvorwahl.'],
  ['phone_number', 'This is not a valid phone number. Check its digits.', 'Das ist keine gültige Telefonnummer. Prüfen Sie die Ziffern.'],
  ['url', 'This address is not taken: its protocol must be http or https.', 'Diese Adresse wird nicht angenommen: Ihr Protokoll muss http or https sein.'],
  ['cell_count', 'This row has 3 cells where the header has 1 column.', 'Diese Zeile hat 3 Zellen, die Kopfzeile aber 1 Spalte.'],
  // engine, mapping, source
  ['SHEET_UNCERTAIN', 'The file holds 2 tables: "A", "B". Choose the one to import, or send it as a file of its own.',
    'Die Datei enthält 2 Tabellen: "A", "B". Wählen Sie die, die importiert werden soll, oder senden Sie sie als eigene Datei.'],
  ['HEADER_ROW_UNCERTAIN', 'It is not certain which row is the header of the table. The likeliest is row 3: in 2 of 3 columns it is text above values of another kind; 1 of its cells look like those below. Choose one.',
    'Es ist nicht sicher, in welcher Zeile die Namen der Spalten stehen. Wir würden Zeile 3 nehmen: in 2 von 3 Spalten ist sie Text über Werten anderer Art; 1 ihrer Zellen sieht aus wie die darunter. Wählen Sie eine.'],
  ['HEADER_ROW_UNCERTAIN', 'It is not certain which row is the header of the table. The likeliest is row 1: nobody knows why. Choose one.',
    'Es ist nicht sicher, in welcher Zeile die Namen der Spalten stehen. Wir würden Zeile 1 nehmen: nobody knows why. Wählen Sie eine.'],
  ['AMBIGUOUS_COLUMN', 'Dates such as 01/02/2020 and 03/04/2020 can be read in several ways, and nothing in the column tells which is right (1200 cells).',
    'Daten wie 01/02/2020 und 03/04/2020 lassen sich auf mehrere Arten lesen, und nichts in der Spalte sagt, welche stimmt (1.200 Zellen).'],
  ['COLUMN_CONFLICT', '3 columns fit the field "E-mail" equally well: "Mail" (column 2), "a; (b)" (column 3) and 1 more. Keep one of them; rename or remove the others.',
    '3 Spalten passen gleich gut zum Feld „E-mail“: „Mail“ (Spalte 2), „a; (b)“ (Spalte 3) und 1 weitere. Behalten Sie eine davon; benennen Sie die anderen um oder entfernen Sie sie.'],
  ['why', 'the header is the field\'s label "Name"', 'die Überschrift ist der Name des Feldes „Name“'],
  ['why', '"a; b" is written much like the field\'s key "ab"; 98 % of the values are e-mail addresses; but none of the values look like dates',
    '„a; b“ ist fast geschrieben wie der Schlüssel des Feldes „ab“; 98 % der Werte sind E-Mail-Adressen; aber keiner der Werte sieht aus wie Daten'],
  ['why', 'column 2: "M" means email, as the field\'s label "E" does; the values differ from row to row; a text of its own',
    'Spalte 2: „M“ bedeutet dasselbe wie der Name des Feldes „E“ (email); die Werte sind von Zeile zu Zeile verschieden; a text of its own'],
  ['why', 'text, and it cuts 4 of the first 5 rows into 6 cells', 'Text, und es teilt 4 der ersten 5 Zeilen in je 6 Zellen'],
  ['why', '12 different words with bytes above 127 read best as German in windows-1252; iso-8859-15 is possible too; it reads Müller, Weiß',
    '12 verschiedene Wörter mit Bytes über 127 lesen sich am besten als German in windows-1252; auch iso-8859-15 ist möglich; zu lesen ist Müller, Weiß'],
  ['why', 'it cuts 182 of the first 189 rows into 13 cells; next best is a comma with 9 % of its score', 'es teilt 182 der ersten 189 Zeilen in je 13 Zellen; als Nächstes käme ein Komma mit 9 % der Wertung'],
  ['why', 'next best is ", " with 2 % of its score', 'als Nächstes käme „, “ mit 2 % der Wertung'],
  ['why', 'in 5 of 13 columns it is text above values of another kind; 8 lines stand above it', 'in 5 von 13 Spalten ist sie Text über Werten anderer Art; darüber stehen 8 Zeilen'],
  ['why', '1 lines stand above it', 'darüber steht 1 Zeile'],
  ['why', 'all bytes are valid UTF-8, with 100 characters and more beyond ASCII', 'alle Bytes sind gültiges UTF-8, mit 100 und mehr Zeichen jenseits von ASCII'],
  ['why', 'the bytes do not look like text; 3 places cannot be read', 'die Bytes sehen nicht aus wie Text; 3 Stellen nicht lesbar'],
  ['why', 'the file begins with the byte order mark of UTF-16LE, though 1 place cannot be read', 'die Datei beginnt mit der Bytereihenfolge-Marke von UTF-16LE, aber nicht überall lesbar (1 Stelle)'],
  ['EMPTY_FILE', 'The file is empty.', 'Die Datei ist leer.'],
  ['UNREADABLE_FILE', 'The file cannot be read: the file has none of the formats that can be read: xlsx, csv.', 'Die Datei lässt sich nicht lesen. Lesbar sind die Formate xlsx, csv.'],
  ['unreadable_file', 'The file is empty.', 'Die Datei ist leer.'],
  ['HEADER_ROW_UNCERTAIN', 'It is not certain which row is the header of the table. The likeliest is none: the first row looks like the rows below it. Choose one.',
    'Es ist nicht sicher, in welcher Zeile die Namen der Spalten stehen. Wir würden keine nehmen: die erste Zeile sieht aus wie die Zeilen darunter. Wählen Sie eine.'],
  // server/draft
  ['not_possible', 'The expression cannot be read: missing closing ): `(`.', 'Der Ausdruck lässt sich nicht lesen: die schließende Klammer ) fehlt: „(“.'],
  ['why', 'you mapped the column "M" so on 2 January 2026', 'am 2. Januar 2026 haben Sie die Spalte „M“ so zugeordnet'],
  ['why', 'In 17,635 of 23,516 cells, such as 1.5 and 2.75, a point has other than 3 digits behind it; a point stands before the fraction: no comma is used so',
    'in 17.635 von 23.516 Zellen, etwa 1.5 und 2.75, stehen hinter einem Punkt mehr oder weniger als 3 Ziffern; ein Punkt steht vor den Nachkommastellen: kein Komma steht so da'],
];

test('what is known is said in the language of the page', () => {
  for (const [code, says, worded] of cases) {
    assert.equal(german(code, says), worded);
    assert.match(arabic(code, says) ?? '', /\p{Script=Arabic}/u, says);
  }
});

test('all else stays as it is', () => {
  const others: [string, string][] = [
    ['required', 'Please tell us your name.'],
    ['required', 'This cell is empty and must not be. Fill it in. Now.'],
    ['email', 'This cell is empty and must not be. Fill it in.'],
    ['hook', 'column 2: the values are all the same'],
    ['of a later service', 'Anything'],
    ['constructor', 'Anything'],
    ['require_with', 'This cell must be filled where they all are filled.'],
    ['why', 'Müller, Weiß; Café'],
    ['why', ''],
    ['AMBIGUOUS_COLUMN', `Dates such as ${'1'.repeat(5000)} can be read in several ways, and nothing in the column tells which is right (1 cell).`],
  ];
  for (const [code, says] of others) {
    assert.equal(german(code, says), null, says);
    assert.equal(reword({ reword: german }, code, says), says);
  }
  assert.equal(reword({}, 'required', 'This cell is empty and must not be. Fill it in.'), 'This cell is empty and must not be. Fill it in.');
});

test('a text made to be hard to look through is looked through at once', () => {
  const began = performance.now();
  for (const text of ['"'.repeat(3999), '"a" is "b" or '.repeat(280), '\\"'.repeat(1900), '; '.repeat(1900), 'but '.repeat(900), '"a" (column 1), '.repeat(240)]) {
    for (const code of ['why', 'require_with_values', 'COLUMN_CONFLICT', 'select', 'value_mapped']) german(code, `${text} `);
    placesIn(text);
  }
  assert.ok(performance.now() - began < 2000);
});

const t = sayer<Key>(catalogue('src/words/en.json'), chooseLocale('en', []));
const mail = (column: number, more = '') => `"Mail" (column ${column}: "Mail" means email, as the field's label "E-mail" does; 100 % of the values are e-mail addresses${more})`;
const conflict = (message: string) => ({
  id: 'column:email', type: 'COLUMN_CONFLICT' as const, message,
  choices: ['1', '2'].map((value) => ({ value, label: `Mail (column ${Number(value) + 1})`, reason: '', examples: [] })),
});

test('of columns in question, what they share stands above and the rest beside each', () => {
  const why = explain(conflict(`${mail(2)}, ${mail(3, '; the values differ from row to row')} may each hold the field "E-mail", and it is not certain. Choose the column, or none.`), t);
  assert.equal(why.text, '2 columns may hold it: "Mail" means email, as the field\'s label "E-mail" does; 100 % of the values are e-mail addresses.');
  assert.deepEqual([why.reasonOf('1'), why.reasonOf('2'), why.reasonOf('none')], ['', 'the values differ from row to row', '']);
  const one = explain(conflict(`${mail(2)} may hold the field "E-mail", and it is not certain. Choose the column, or none.`), t);
  assert.equal(one.text, '1 column may hold it, and it is not certain.');
  assert.equal(one.reasonOf('1'), '"Mail" means email, as the field\'s label "E-mail" does; 100 % of the values are e-mail addresses');
  const many = explain(conflict('7 columns fit the field "E-mail" equally well: "Mail" (column 2), "Mail" (column 3) and 5 more. Keep one of them; rename or remove the others.'), t);
  assert.equal(many.text, '7 columns may hold it, and it is not certain which.');
  const other = explain(conflict('Some later sentence.'), t);
  assert.deepEqual([other.text, other.own], ['Some later sentence.', false]);
});

test('columns of one name are told apart by their number', () => {
  const file = layout();
  const twins = { ...file, columns: file.columns.map((column) => (column.index < 2 ? { ...column, header: 'Mail' } : column)) };
  const label = (value: string) => choiceLabel({ id: 'column:email' }, { value, label: '' }, twins, t, chooseLocale('en', []));
  assert.deepEqual([label('0'), label('1')], ['Mail (column 1)', 'Mail (column 2)']);
  assert.equal(label('2'), twins.columns[2]!.header);
});
