import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseMatrix, isOwnCopy, pasteArea } from '../../grid/clipboard';
import { parseHtml, toHtml } from '../../grid/html';
import { checkboxState, visibleText } from '../../grid/visible-text';
import { parseTsv, toTsv } from '../../grid/tsv';

const awkward = [
  ['plain', '', ' spaces '],
  ['tab\there', 'two\nlines', 'a "quote"'],
  ['"', '<b>&amp;</b>', 'naïve 🎉 \u202Eevil'],
];

test('tab-separated text survives a round trip', () => {
  assert.deepEqual(parseTsv(toTsv(awkward)), awkward);
});

test('HTML survives a round trip', () => {
  assert.deepEqual(parseHtml(toHtml(awkward)), awkward);
});

const tsv: [string, string, string[][]][] = [
  ['one cell', 'a', [['a']]],
  ['a final line break ends the last row', 'a\tb\r\nc\td\r\n', [['a', 'b'], ['c', 'd']]],
  ['CR line breaks', 'a\rb', [['a'], ['b']]],
  ['short rows are padded', 'a\tb\nc', [['a', 'b'], ['c', '']]],
  ['a quote within a cell is a character', '5" screen\tx', [['5" screen', 'x']]],
  ['a quote that closes too early is a character', '"a" b\tc', [['"a" b', 'c']]],
  ['a quote that never closes is a character', '"open\tb', [['"open', 'b']]],
  ['line breaks in quotes are normalized', '"a\r\nb"\tc', [['a\nb', 'c']]],
  ['empty lines are rows', 'a\n\nb', [['a'], [''], ['b']]],
  ['only a line break', '\n', [['']]],
];
for (const [name, text, rows] of tsv) test(`tsv: ${name}`, () => assert.deepEqual(parseTsv(text), rows));

test('a copy is recognized with any line breaks', () => {
  assert.deepEqual([isOwnCopy('a\r\nb', 'a\r\nb'), isOwnCopy('a\nb', 'a\r\nb'), isOwnCopy('a\nc', 'a\r\nb'), isOwnCopy('', '')], [true, true, false, false]);
});

const html: [string, string, string[][] | null][] = [
  ['no table', '<p>hello</p>', null],
  ['Excel', '<!--StartFragment--><table><tr><td style="mso-number-format:\'\\@\'">0042</td><td>a&nbsp;b</td></tr></table>', [['0042', 'a b']]],
  ['line breaks in the source are collapsed', '<table><tr><td>one\n   two</td></tr></table>', [['one two']]],
  ['br is a line break', '<table><tr><td>one<br>two<br/>three</td></tr></table>', [['one\ntwo\nthree']]],
  ['cells below a rowspan are empty', '<table><tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr></table>', [['a', 'b'], ['', 'c']]],
  ['colspan', '<table><tr><td colspan="2">a</td><td>b</td></tr></table>', [['a', '', 'b']]],
  ['a huge colspan is limited', '<table><tr><td colspan="99999999">a</td></tr></table>', [['a', ...Array<string>(999).fill('')]]],
  ['end tags may be missing', '<table><tr><td>a<td>b<tr><td>c</table>', [['a', 'b'], ['c', '']]],
  ['styles and scripts are ignored', '<style>td{}</style><table><tr><td><script>alert(1)</script>x</td></tr></table>', [['x']]],
  ['entities', '<table><tr><td>&lt;&#65;&#x42;&unknown;&#0;</td></tr></table>', [['<AB&unknown;\ufffd']]],
  ['attributes may contain a greater-than sign', '<table><tr><td title="a > b">x</td></tr></table>', [['x']]],
];
for (const [name, text, rows] of html) test(`html: ${name}`, () => assert.deepEqual(parseHtml(text), rows));

// Parsing these inputs in quadratic time would take minutes.
test('hostile HTML is parsed in linear time', { timeout: 60_000 }, () => {
  assert.equal(parseHtml('<table>' + '<td '.repeat(1_000_000)), null);
  assert.equal(parseHtml('<'.repeat(2_000_000)), null);
  assert.deepEqual(parseHtml('<table><tr><td>' + '<!--'.repeat(1_000_000)), [[]]);
});

test('tab-separated text is used if both formats have the same size, otherwise HTML', () => {
  assert.deepEqual(chooseMatrix(' a \tb', '<table><tr><td>a</td><td>b</td></tr></table>'), [[' a ', 'b']]);
  assert.deepEqual(chooseMatrix('a\nb', '<table><tr><td>a<br>b</td></tr></table>'), [['a\nb']]);
  assert.deepEqual(chooseMatrix('a', ''), [['a']]);
  assert.equal(chooseMatrix('', '<p>x</p>'), null);
});

test('a paste repeats over a range that is a multiple of its size', () => {
  const range = { top: 2, bottom: 5, left: 1, right: 2 };
  assert.deepEqual(pasteArea(range, 2, 1), range);
  assert.deepEqual(pasteArea(range, 3, 2), { top: 2, bottom: 4, left: 1, right: 2 });
  assert.deepEqual(pasteArea({ ...range, bottom: 2, right: 1 }, 3, 4), { top: 2, bottom: 4, left: 1, right: 4 });
});

test('invisible characters are made visible', () => {
  assert.equal(visibleText('a\r\nb\tc\u0000\u007f'), 'a↵b⇥c␀␡');
  assert.equal(visibleText('x'.repeat(1_000_000)).length, 401);
  assert.equal(visibleText('a\u202ecod.exe\u200b'), 'a⟨U+202E⟩cod.exe⟨U+200B⟩');
  assert.equal(visibleText('می\u200cخواهم 👩\u200d🔬'), 'می\u200cخواهم 👩\u200d🔬');
});

test('a checkbox is yes, no, empty or unclear', () => {
  assert.deepEqual(['Yes', '1', '', ' ', 'false', 'perhaps'].map((text) => checkboxState({ text })), [true, true, undefined, undefined, false, null]);
  assert.equal(checkboxState({ text: 'ja', value: 'true' }), true);
});
