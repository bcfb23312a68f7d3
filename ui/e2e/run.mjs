// Builds and runs the files of this folder with the real service:
//   node e2e/run.mjs test [names] [node's test options]
//   node e2e/run.mjs bench | lighthouse | screenshots [arguments]
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const [what = 'test', ...rest] = process.argv.slice(2);
const tests = what === 'test';
const named = rest.filter((word) => !word.startsWith('-'));
const scripts = tests
  ? readdirSync('e2e').filter((name) => name.endsWith('.test.ts')).map((name) => name.slice(0, -3)).filter((name) => named.length === 0 || named.includes(name.split('.')[0]))
  : [what];
if (scripts.length === 0) throw new Error(`unknown test: ${named.join(' or ')}`);
// Use one folder per run, so that runs do not disturb each other.
const outDir = `.built/e2e-${what}/${process.pid}`;

await build({
  configFile: false,
  logLevel: 'warn',
  ssr: { external: true },
  build: {
    ssr: true,
    target: 'node20',
    outDir,
    emptyOutDir: true,
    minify: false,
    rolldownOptions: { input: Object.fromEntries(scripts.map((name) => [name, `e2e/${name}.ts`])) },
  },
});
const files = scripts.map((name) => `${outDir}/${name}.js`);
// Run the files one after another, because each starts its own server and browser.
const flags = tests ? ['--test', '--test-concurrency=1', ...rest.filter((word) => word.startsWith('-'))] : [];
const run = spawnSync(process.execPath, [...flags, ...files, ...(tests ? [] : rest)], { stdio: 'inherit' });
rmSync(outDir, { recursive: true, force: true });
process.exit(run.status ?? 1);
