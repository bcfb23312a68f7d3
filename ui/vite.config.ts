import { defineConfig } from 'vite';
import { stamp } from './scripts/stamp.mjs';
import { demoDir, demoPages, outDir, pages } from './places.mjs';

/** vite build makes the pages of the service; with --mode demo the example of the grid. */
export default defineConfig(({ mode }) => {
  const demo = mode === 'demo';
  return {
    base: '/',
    plugins: demo ? [] : [{ name: 'stamp', writeBundle: ({ dir }) => stamp(dir!) }],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    json: { stringify: true },
    build: {
      outDir: demo ? demoDir : outDir,
      emptyOutDir: true,
      // light-dark() and logical properties reach the browser as they are written.
      target: ['chrome123', 'firefox121', 'safari17.5'],
      // The pages forbid data: addresses.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      manifest: true,
      rolldownOptions: {
        input: demo ? demoPages : pages,
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          assetFileNames: 'assets/[name]-[hash][extname]',
          codeSplitting: { groups: [{ name: 'grid', test: /\/ui\/grid\// }] },
        },
      },
    },
  };
});
