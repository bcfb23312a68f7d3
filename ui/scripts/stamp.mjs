// What the pages are built from, as one hash. server/webui/assets_test.go computes the same.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What decides the bytes of the pages: files, and folders with all that is in them. */
const sources = ['../messages', 'grid', 'index.html', 'package-lock.json', 'package.json', 'places.mjs', 'review.html', 'src', 'tsconfig.json', 'vite.config.ts'];

function files(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => files(join(path, name)));
}

/** A line of the SHA-256 and the name of each file, by name. */
export function stampOf() {
  const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
  const names = sources.flatMap(files).sort((a, b) => (a < b ? -1 : 1));
  return hash(names.map((name) => `${hash(readFileSync(name))} ${name}\n`).join(''));
}

/** Writes the hash beside the pages that were built. */
export function stamp(outDir) {
  writeFileSync(join(outDir, 'sources.sha256'), `${stampOf()}\n`);
}
