import { defineConfig } from 'vite';
import { outDir, pages } from './places.mjs';

export default defineConfig({
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir,
    emptyOutDir: true,
    // light-dark() and logical properties reach the browser as they are written.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The pages forbid data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: {
      input: { ...pages },
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
        codeSplitting: { groups: [{ name: 'grid', test: /\/ui\/grid\// }] },
      },
    },
  },
});
