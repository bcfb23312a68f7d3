// Lists and parses the source files of ui, for the checks in this folder.
import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'vite';

/** Folders and files that contain our sources, relative to ui. */
export const roots = ['src', 'grid', 'demo', 'test', 'e2e', 'scripts', 'vite.config.ts', 'places.mjs'];

const skipped = new Set(['node_modules', 'package-lock.json']);
const generated = new Set(['src/api/schema.d.ts']);

/** Returns all files in a folder and its subfolders, as paths with slashes. */
export function filesBelow(path) {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter(({ name }) => !skipped.has(name)).flatMap((entry) => (entry.isDirectory() ? filesBelow(`${path}/${entry.name}`) : [`${path}/${entry.name}`]));
}

/** Returns all files of the roots. */
export function allFiles() {
  return roots.flatMap((root) => (/\.\w+$/.test(root) ? [root] : filesBelow(root)));
}

/** Reports whether a file contains code that is not generated. */
export function isCode(file) {
  return /\.(ts|tsx|mjs)$/.test(file) && !generated.has(file);
}

/**
 * Parses a file to a syntax tree.
 * @param {string} file
 * @param {string} [text]
 */
export function treeOf(file, text = readFileSync(file, 'utf8')) {
  return parseAst(text, { lang: file.endsWith('.tsx') ? 'tsx' : file.endsWith('.mjs') ? 'js' : 'ts' });
}

/**
 * Calls visit for each node of a tree.
 * @param {any} node
 * @param {(node: any) => void} visit
 */
export function walk(node, visit) {
  if (Array.isArray(node)) for (const child of node) walk(child, visit);
  if (!node || typeof node.type !== 'string') return;
  visit(node);
  for (const child of Object.values(node)) if (child && typeof child === 'object') walk(child, visit);
}
