/** Where the built pages go: the folder that the service embeds. */
export const outDir = '../server/webui/dist';

/** The pages of the service, by name. */
export const pages = { start: 'index.html', review: 'review.html' };

/** Where the example of the grid goes, which is for tests and no page of the service. */
export const demoDir = 'dist-preview';

/** The pages of the example. */
export const demoPages = { demo: 'demo/index.html' };
