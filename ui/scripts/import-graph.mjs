// Builds the import graph of files and finds its cycles: see check-imports.mjs.
import { posix } from 'node:path';
import { treeOf, walk } from './sources.mjs';

/**
 * Returns the relative imports of a file: static, dynamic, type imports and re-exports.
 * @param {string} file
 * @param {string} [text]
 * @returns {string[]}
 */
export function importsOf(file, text) {
  /** @type {Set<string>} */
  const found = new Set();
  walk(treeOf(file, text), ({ type, source, argument }) => {
    if (!/^(Import|ExportNamed|ExportAll)Declaration$|^ImportExpression$|^TSImportType$/.test(type)) return;
    const name = (source ?? argument?.literal ?? argument)?.value;
    if (typeof name === 'string' && name.startsWith('.')) found.add(name);
  });
  return [...found];
}

/**
 * Returns, for each file, the other given files that it imports.
 * @param {string[]} files
 * @param {(file: string) => string[]} [read]
 * @returns {Map<string, string[]>}
 */
export function graphOf(files, read = importsOf) {
  const known = new Set(files);
  const endings = ['', '.ts', '.tsx', '.mjs', '/index.ts', '/index.tsx'];
  const resolve = (/** @type {string} */ from, /** @type {string} */ name) => {
    const path = posix.join(posix.dirname(from), name);
    return endings.map((ending) => path + ending).find((one) => known.has(one));
  };
  return new Map(files.map((file) => [file, read(file).flatMap((name) => resolve(file, name) ?? [])]));
}

/**
 * Returns at least one cycle of each group of files that import each other, with the
 * files in order: ['a', 'b', 'a'].
 * @param {ReadonlyMap<string, readonly string[]>} graph
 * @returns {string[][]}
 */
export function cyclesOf(graph) {
  /** @type {Set<string>} */
  const reported = new Set();
  /** @type {string[][]} */
  const cycles = [];
  for (const file of graph.keys()) {
    if (reported.has(file)) continue;
    const cycle = shortestCycle(graph, file);
    if (!cycle) continue;
    for (const one of cycle) reported.add(one);
    cycles.push(cycle);
  }
  return cycles;
}

/**
 * Returns the shortest cycle through a file, or null.
 * @param {ReadonlyMap<string, readonly string[]>} graph
 * @param {string} start
 * @returns {string[] | null}
 */
function shortestCycle(graph, start) {
  /** @type {string[][]} */
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways) {
    for (const next of graph.get(/** @type {string} */ (way.at(-1))) ?? []) {
      if (next === start) return [...way, next];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
}
