// The texts in Arabic: one chunk, as the cells step follows the page at once.
export { default as page } from './page.ar.json';
export { default as cells } from './cells.ar.json';
