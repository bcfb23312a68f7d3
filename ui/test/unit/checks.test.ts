import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesIn, partsOf, retiredIn, wireNames, wordsOf } from '../../scripts/identifiers.mjs';
import { cyclesOf, graphOf, importsOf } from '../../scripts/import-graph.mjs';

test('all kinds of imports are found', () => {
  const text = `
    import { a } from './a'; import type { B } from '../b'; import './c.css'; import { x } from 'preact';
    export { d } from './d'; export * from './e'; const f = () => import('./f'); type G = typeof import('./g');`;
  assert.deepEqual(importsOf('src/x.tsx', text), ['./a', '../b', './c.css', './d', './e', './f', './g']);
});

/** Returns the import graph of files with these contents. */
function graph(files: Record<string, string>): Map<string, string[]> {
  return graphOf(Object.keys(files), (file) => importsOf(file, files[file]));
}

test('import cycles are found, including type and dynamic imports', () => {
  const files = {
    'src/lazy.tsx': "export const load = () => import('./dialogs/open');",
    'src/dialogs/open.ts': "import type { Props } from '../view';",
    'src/view.tsx': "import { load } from './lazy'; import { grid } from '../grid';",
    'grid/index.ts': "export { grid } from './grid';",
    'grid/grid.ts': "import './grid.css';",
  };
  assert.deepEqual(cyclesOf(graph(files)), [['src/lazy.tsx', 'src/dialogs/open.ts', 'src/view.tsx', 'src/lazy.tsx']]);
  assert.deepEqual(cyclesOf(graph({ ...files, 'src/dialogs/open.ts': '' })), []);
});

test('a file that imports itself is a cycle, and a file imported by a cycle is not part of it', () => {
  assert.deepEqual(cyclesOf(new Map([['a', ['a']]])), [['a', 'a']]);
  assert.deepEqual(cyclesOf(new Map([['a', ['b']], ['b', ['c']], ['c', ['b', 'd']], ['d', []]])), [['b', 'c', 'b']]);
});

test('retired words are found in the parts of names, but not in strings', () => {
  const words = wordsOf('# a comment\ndesk\ntold\n');
  assert.deepEqual(partsOf('openDeskURL2for-it'), ['open', 'desk', 'url', 'for', 'it']);
  const names = namesIn('x.tsx', "class A { #told = 'desk'; } export const openDesk = <p title=\"told\">told</p>; // desk");
  assert.deepEqual(names.filter((name) => retiredIn(name, words)), ['told', 'openDesk']);
  assert.deepEqual(namesIn('x.css', '.c-told > p { color: var(--desk-line); margin: 0.5em }').filter((name) => retiredIn(name, words)), ['c-told', 'desk-line']);
  assert.deepEqual(namesIn('i18n/review.en.json', '{"upload.told": "desk"}').map((name) => retiredIn(name, words)), ['told']);
  assert.equal(retiredIn('desktop', words), undefined);
});

test('the property names of the API are collected', () => {
  const names = wireNames({ paths: { '/x/': { get: { parameters: [{ in: 'query', name: 'of' }], responses: { schema: { properties: { clashes: { type: 'number' } } } } } } } });
  assert.deepEqual([...names], ['of', 'clashes']);
});
