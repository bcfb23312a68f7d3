// Builds and runs the tests of a folder: node scripts/test.mjs unit|browser [files] [node's test options]
// Speed tests run only if named, because they fail on a busy machine.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'vite';
import { messageParts } from './message-parts.mjs';

const [suite = 'unit', ...rest] = process.argv.slice(2);
const options = rest.filter((word) => word.startsWith('-'));
const named = rest.filter((word) => !word.startsWith('-'));
const folder = `test/${suite}`;
const tests = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
// Use one folder per run, so that runs do not disturb each other.
const outDir = `.built/${suite}/${process.pid}`;

await build({
  configFile: false,
  plugins: [messageParts],
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
// Run the files one after another, because speed tests in two browsers would disturb each
// other.
const flags = suite === 'browser' ? ['--test-concurrency=1'] : [];
const run = spawnSync(process.execPath, ['--test', ...flags, ...options, ...files], { stdio: 'inherit' });
rmSync(outDir, { recursive: true, force: true });
process.exit(run.status ?? 1);
