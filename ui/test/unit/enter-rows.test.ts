import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockOf } from '../../src/import/enter-rows';
import { csvOf } from '../../src/import/template';

test('copied cells of a spreadsheet become rows', () => {
  for (const [text, rows] of [
    ['a', [['a']]],
    ['a\tb', [['a', 'b']]],
    ['a\tb\r\nc\td\r\n', [['a', 'b'], ['c', 'd']]],
    ['\t\tx', [['', '', 'x']]],
    ['a\n\nb', [['a'], [''], ['b']]],
    ['"a\nb"\tc', [['a\nb', 'c']]],
    ['"say ""hi"""\t2', [['say "hi"', '2']]],
    ['5" pipe\tx', [['5" pipe', 'x']]],
    ['', [['']]],
  ] as const) assert.deepEqual(blockOf(text), rows, JSON.stringify(text));
});

test('rows become CSV that any reader can parse', () => {
  assert.equal(csvOf([['a', 1, null], ['say "hi"', 'x,y\nz', undefined]]), '"a","1",""\r\n"say ""hi""","x,y\nz",""\r\n');
});
