// Builds the tests of a folder and runs them: node scripts/test.mjs unit|browser [files] [node's test options]
// Those of speed run where they are named: a busy machine fails them for nothing.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'vite';

const [suite = 'unit', ...rest] = process.argv.slice(2);
const options = rest.filter((word) => word.startsWith('-'));
const named = rest.filter((word) => !word.startsWith('-'));
const folder = `test/${suite}`;
const tests = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
// Of this run alone: another may go on meanwhile.
const outDir = `.built/${suite}/${process.pid}`;

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
    rolldownOptions: { input: Object.fromEntries(tests.map((name) => [name.slice(0, -3), `${folder}/${name}`])) },
  },
});
const files = readdirSync(outDir).filter((name) => name.endsWith('.test.js')).filter((name) => (named.length === 0 ? name !== 'speed.test.js' : named.includes(name.split('.')[0])))
  .map((name) => `${outDir}/${name}`);
// One after another: frames are measured, and two browsers at once would measure each other.
const flags = suite === 'browser' ? ['--test-concurrency=1'] : [];
const run = spawnSync(process.execPath, ['--test', ...flags, ...options, ...files], { stdio: 'inherit' });
rmSync(outDir, { recursive: true, force: true });
process.exit(run.status ?? 1);
