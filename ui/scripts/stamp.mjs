// Computes a hash of the sources of the pages. server/webui/assets_test.go computes the
// same hash.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files and folders that determine the built pages. */
const sources = ['../messages', 'grid', 'import.html', 'index.html', 'package-lock.json', 'package.json', 'places.mjs', 'review.html', 'src', 'tsconfig.json', 'vite.config.ts', 'widget.html'];

function files(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => files(join(path, name)));
}

/**
 * Returns the SHA-256 of a list of all source files. The list is sorted by name and
 * contains the SHA-256 and name of each file.
 */
export function stampOf() {
  const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
  const names = sources.flatMap(files).sort((a, b) => (a < b ? -1 : 1));
  return hash(names.map((name) => `${hash(readFileSync(name))} ${name}\n`).join(''));
}

/** Writes the hash next to the built pages. */
export function stamp(outDir) {
  writeFileSync(join(outDir, 'sources.sha256'), `${stampOf()}\n`);
}
