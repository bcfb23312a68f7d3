// The texts in German: one chunk, as the cells step follows the page at once.
export { default as page } from './page.de.json';
export { default as cells } from './cells.de.json';
