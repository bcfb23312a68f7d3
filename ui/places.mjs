/** Target folder of the built pages, which the service embeds. */
export const outDir = '../server/webui/dist';

/** The pages of the service, by name. */
export const pages = { start: 'index.html', review: 'review.html', import: 'import.html', widget: 'widget.html' };

/** Target folder of the grid demo, which is used by tests only. */
export const demoDir = 'dist-preview';

/** The pages of the demo. */
export const demoPages = { demo: 'demo/index.html' };
