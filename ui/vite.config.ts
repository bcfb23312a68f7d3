import { defineConfig, type Plugin } from 'vite';
import { stamp } from './scripts/stamp.mjs';
import { demoDir, demoPages, outDir, pages } from './places.mjs';

/** What most people who open a review see next: its scripts are asked for at once, not by the first script. */
const next = 'src/cells/index.ts';

const ahead: Plugin = {
  name: 'ahead',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {}, path }) {
      if (!path.endsWith('review.html')) return html;
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
      const first = chunks.find((one) => one.facadeModuleId?.endsWith(next));
      const names = [first?.fileName, ...(first?.imports ?? [])].filter((name) => name !== undefined && !html.includes(name));
      return names.map((name) => ({
        tag: 'link', injectTo: 'head' as const, attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}`, fetchpriority: 'low' },
      }));
    },
  },
};

/** vite build makes the pages of the service; with --mode demo the example of the grid. */
export default defineConfig(({ mode }) => {
  const demo = mode === 'demo';
  return {
    base: '/',
    plugins: demo ? [] : [ahead, { name: 'stamp', writeBundle: ({ dir }) => stamp(dir!) }],
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
