/** Where the built pages go. The one place that says so. */
export const outDir = 'dist-preview';

/** The pages that are built, by name. */
export const pages = { demo: 'demo/index.html' };
