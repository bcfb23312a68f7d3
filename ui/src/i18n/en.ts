// All English UI text in one chunk, because the cells step loads right after the page.
export { default as page } from './page.en.json';
export { default as cells } from './cells.en.json';
