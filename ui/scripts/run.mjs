// Builds and runs a script of this folder: node scripts/run.mjs grid-screenshots.ts [arguments]
import { build } from 'vite';
import { spawnSync } from 'node:child_process';

const [script, ...rest] = process.argv.slice(2);
await build({
  configFile: false,
  logLevel: 'warn',
  ssr: { external: true },
  build: { ssr: true, target: 'node20', outDir: '.built/scripts', minify: false, rolldownOptions: { input: { script: `scripts/${script}` } } },
});
const run = spawnSync(process.execPath, ['.built/scripts/script.js', ...rest], { stdio: 'inherit' });
process.exit(run.status ?? 1);
