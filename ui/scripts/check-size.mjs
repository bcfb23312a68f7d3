// Checks the compressed size of the files that the pages load: node
// scripts/check-size.mjs
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { outDir } from '../places.mjs';

const most = { page: 90_000, cells: 95_000, grid: 25_000, import: 60_000, catalogue: 14_000 };
const manifest = JSON.parse(readFileSync(join(outDir, '.vite/manifest.json'), 'utf8'));
const weight = (file) => gzipSync(readFileSync(join(outDir, file)), { level: 9 }).length;
const figure = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** Returns the scripts and styles that a chunk loads before it runs. */
function files(key, seen = new Set()) {
  const chunk = manifest[key];
  seen.add(chunk.file);
  for (const style of chunk.css ?? []) seen.add(style);
  for (const next of chunk.imports ?? []) if (!seen.has(manifest[next].file)) files(next, seen);
  return seen;
}

let tooMuch = 0;
function judge(name, names, limit) {
  const bytes = [...new Set(names)].reduce((sum, file) => sum + weight(file), 0);
  const over = bytes > limit;
  if (over) tooMuch++;
  console.log(`${over ? 'TOO LARGE' : 'fine'}  ${name}: ${figure(bytes)} of ${figure(limit)}`);
}

const entry = 'review.html';
const english = 'src/i18n/review.en.json';
const cells = Object.keys(manifest).find((key) => /^src\/cells\/index\.tsx?$/.test(key));
const page = 'src/app/main.tsx';
const prefetch = readdirSync(join(outDir, 'assets')).filter((name) => /^prefetch-.*\.js$/.test(name)).map((name) => `assets/${name}`);
if (prefetch.length !== 1) throw new Error('the first script has no file of its own in the build');
const shell = [...prefetch, ...[entry, page, english].flatMap((key) => [...files(key)])];
judge('the page before the cells', shell, most.page);
const all = [...shell, ...(cells ? files(cells) : [])];
judge('the page with the cells', all, most.cells);
const grid = [...new Set(all)].filter((file) => /\/grid-/.test(file));
if (grid.length < 2) throw new Error('the grid has no files of its own in the build');
judge('grid', grid, most.grid);
judge('the import page before a file is chosen', ['import.html', 'src/i18n/import.en.json'].flatMap((key) => [...files(key)]), most.import);
judge('the widget before a file is chosen', ['widget.html', 'src/i18n/import.en.json'].flatMap((key) => [...files(key)]), most.import);
const catalogues = Object.entries(manifest).filter(([key]) => /^(src\/i18n\/\w+\.\w+|\.\.\/messages\/\w+)\.json/.test(key)).map(([, { file }]) => file);
if (catalogues.length < 4 * 38) throw new Error(`the build has ${catalogues.length} catalogues`);
const [largest] = catalogues.sort((a, b) => weight(b) - weight(a));
judge('the largest catalogue of a language', [largest], most.catalogue);
process.exit(tooMuch ? 1 : 0);
