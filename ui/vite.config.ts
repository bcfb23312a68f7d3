import { build, defineConfig, type Plugin } from 'vite';
import { stamp } from './scripts/stamp.mjs';
import { messageParts } from './scripts/message-parts.mjs';
import { demoDir, demoPages, outDir, pages } from './places.mjs';

/** Modules needed right after the first script. The page preloads them. */
const next = ['src/app/main.tsx', 'src/cells/index.ts'];

/** Small modules that both early and late chunks need, combined into one chunk. */
const shared = { name: 'shared', test: /\/ui\/(grid\/display-text|src\/cells\/columns)\.ts$/ };

/** Modules that the cells step and later chunks share, combined into one chunk. */
const filter = { name: 'filter', test: /\/ui\/src\/cells\/(filter|whitespace)\.ts$/ };

/** Browsers that support light-dark() and logical properties. */
const target = ['chrome123', 'firefox121', 'safari17.5'];

/** Builds the script that runs before all modules; start is the first module. */
async function buildPrefetchScript(start: string): Promise<{ fileName: string; source: string }> {
  const made = await build({
    configFile: false,
    logLevel: 'warn',
    define: { startModule: JSON.stringify(`/${start}`) },
    build: { write: false, target, rolldownOptions: { input: 'src/app/prefetch-script.ts', output: { format: 'iife', entryFileNames: 'assets/prefetch-[hash].js' } } },
  });
  const [chunk] = 'output' in made ? made.output : [];
  if (chunk?.type !== 'chunk') throw new Error('src/app/prefetch-script.ts came to nothing');
  return { fileName: chunk.fileName, source: chunk.code };
}

let first = '';

const preloads: Plugin = {
  name: 'preloads',
  // Runs before the pages are written.
  enforce: 'pre',
  async generateBundle(_, bundle) {
    const start = Object.values(bundle).find((one) => one.type === 'chunk' && one.isEntry && one.name === 'review');
    if (!start) throw new Error('review.html has no script');
    const made = await buildPrefetchScript(start.fileName);
    first = made.fileName;
    this.emitFile({ type: 'asset', ...made });
  },
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {}, path }) {
      if (!path.endsWith('review.html')) return html;
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
      const named = (name: string) => chunks.find((one) => one.fileName === name);
      const wanted = next.map((source) => chunks.find((one) => one.facadeModuleId?.endsWith(source))).filter((one) => one !== undefined);
      const all = [...new Set(wanted.flatMap((one) => [one, ...one.imports.map(named).filter((each) => each !== undefined)]))];
      const missing = (name: string) => !html.includes(name);
      const styles = new Set(all.flatMap((one) => [...(one.viteMetadata?.importedCss ?? [])]).filter(missing));
      const tags = [
        ...all.map((one) => one.fileName).filter(missing).map((name) => ({
          tag: 'link', injectTo: 'head' as const, attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` },
        })),
        // Put the styles after the initial content, which does not need them.
        ...[...styles].map((name) => ({ tag: 'link', injectTo: 'body' as const, attrs: { rel: 'stylesheet', crossorigin: true, href: `/${name}` } })),
      ];
      // Put the script before all styles, because a script waits for the styles before it. The
      // first module is only preloaded.
      const begun = html.replace(/<script async type="module" crossorigin src="([^"]*)"><\/script>/, (_, start) =>
        `<script src="/${first}"></script>\n  <link rel="modulepreload" crossorigin href="${start}">`);
      if (begun === html) throw new Error('review.html begins with another script than was expected');
      return { html: begun, tags };
    },
  },
};

/** vite build builds the pages of the service; with --mode demo, the grid demo. */
export default defineConfig(({ mode }) => {
  const demo = mode === 'demo';
  return {
    base: '/',
    plugins: demo ? [messageParts] : [messageParts, preloads, { name: 'stamp', writeBundle: ({ dir }) => stamp(dir!) }],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    json: { stringify: true },
    build: {
      outDir: demo ? demoDir : outDir,
      emptyOutDir: true,
      target,
      // The content security policy forbids data: URLs.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      manifest: true,
      rolldownOptions: {
        input: demo ? demoPages : pages,
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          assetFileNames: 'assets/[name]-[hash][extname]',
          codeSplitting: { groups: [shared, filter, { name: 'grid', test: /\/ui\/grid\/(?!display-text)/ }] },
        },
      },
    },
  };
});
