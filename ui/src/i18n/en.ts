// The texts in English: one chunk, as the cells step follows the page at once.
export { default as page } from './page.en.json';
export { default as cells } from './cells.en.json';
