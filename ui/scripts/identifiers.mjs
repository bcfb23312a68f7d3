// Finds names in source files, and retired words in those names: see check-names.mjs.
import { treeOf, walk } from './sources.mjs';

/**
 * Parses a list with one word per line. Lines that begin with # are comments.
 * @param {string} text
 * @returns {Set<string>}
 */
export function wordsOf(text) {
  return new Set(text.split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('#')));
}

/**
 * Splits a name into its parts, in lower case: openDesk2 becomes open and desk.
 * @param {string} name
 * @returns {string[]}
 */
export function partsOf(name) {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return words.split(/[^A-Za-z]+/).filter(Boolean).map((part) => part.toLowerCase());
}

/**
 * Returns the names that a file declares or uses: identifiers in code, class names in
 * styles and keys in text catalogs. @param {string} file @param {string} text @returns
 * {string[]}
 */
export function namesIn(file, text) {
  if (file.endsWith('.css')) return [...new Set(text.match(/(?<=\.|--)[A-Za-z_][\w-]*/g))];
  if (file.endsWith('.json')) return Object.keys(JSON.parse(text));
  /** @type {Set<string>} */
  const names = new Set();
  walk(treeOf(file, text), ({ type, name }) => {
    if (/^(Private|JSX)?Identifier$/.test(type)) names.add(name);
  });
  return [...names];
}

/**
 * Returns the property names of the API, which are part of its contract.
 * @param {any} document
 * @returns {Set<string>}
 */
export function wireNames(document) {
  /** @type {Set<string>} */
  const names = new Set();
  const look = (/** @type {any} */ node) => {
    if (!node || typeof node !== 'object') return;
    for (const name of Object.keys(node.properties ?? {})) names.add(name);
    if (node.in && typeof node.name === 'string') names.add(node.name);
    Object.values(node).forEach(look);
  };
  look(document);
  return names;
}

/**
 * Returns the first retired word in a name, or undefined if there is none.
 * @param {string} name
 * @param {ReadonlySet<string>} words
 * @returns {string | undefined}
 */
export function retiredIn(name, words) {
  return partsOf(name).find((part) => words.has(part));
}
