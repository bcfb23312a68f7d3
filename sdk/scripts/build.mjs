// Builds the packages into their dist folders: node scripts/build.mjs
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { build } from 'vite';

/** Browsers of 2023 and later, which support dialogs, private methods and AbortSignal.timeout. */
const target = ['chrome111', 'firefox113', 'safari16.4'];

/**
 * Builds files of a package. An ES module stays readable and imports its dependencies. A script
 * contains everything and is minified.
 */
async function bundle(folder, input, format, banner = '') {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const script = format === 'iife';
  await build({
    configFile: false,
    logLevel: 'warn',
    root: folder,
    build: {
      target,
      outDir: 'dist',
      emptyOutDir: !script,
      minify: script,
      modulePreload: false,
      lib: { entry: input, formats: [format], name: 'Intray', fileName: (_, name) => (script ? 'intray.iife.js' : `${name}.js`) },
      rolldownOptions: {
        external: Object.keys({ ...dependencies, ...peerDependencies }),
        output: { generatedCode: { symbols: false }, banner },
      },
    },
  });
}

function types(folder) {
  const { status } = spawnSync('node_modules/.bin/tsc', ['-p', folder], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

await bundle('importer', { index: 'src/index.ts', element: 'src/element.ts' }, 'es');
await bundle('importer', { script: 'src/script.ts' }, 'iife');
types('importer');
// React must not render the component on a server with server components.
await bundle('react', { index: 'src/index.ts' }, 'es', "'use client';");
types('react');
await bundle('vue', { index: 'src/index.ts' }, 'es');
types('vue');
