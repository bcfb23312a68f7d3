// Builds and runs the tests against the built packages: node scripts/test.mjs [files] [node's test options]
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'vite';

const options = process.argv.slice(2).filter((word) => word.startsWith('-'));
const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));
// Use one folder per run, so that runs do not disturb each other.
const outDir = `.built/${process.pid}`;

const tests = ['unit', 'browser'].flatMap((folder) => readdirSync(`test/${folder}`).filter((name) => name.endsWith('.test.ts')).map((name) => `${folder}/${name.slice(0, -3)}`));
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
    rolldownOptions: { input: Object.fromEntries(tests.map((name) => [name.replace('/', '-'), `test/${name}.ts`])) },
  },
});
// The scripts of the pages that the browser tests open.
for (const name of readdirSync('test/pages').filter((name) => name.endsWith('.ts')).map((name) => name.slice(0, -3))) {
  await build({
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"development"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
    build: { outDir: `${outDir}/pages`, emptyOutDir: false, minify: false, lib: { entry: `test/pages/${name}.ts`, formats: ['iife'], name: 'Page', fileName: () => `${name}.js` } },
  });
}
const files = tests.filter((name) => named.length === 0 || named.some((word) => name.includes(word))).map((name) => `${outDir}/${name.replace('/', '-')}.js`);
const run = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...options, ...files], {
  stdio: 'inherit',
  env: { ...process.env, PAGES: `${outDir}/pages` },
});
rmSync(outDir, { recursive: true, force: true });
process.exit(run.status ?? 1);
