// All Arabic UI text in one chunk, because the cells step loads right after the page.
export { default as page } from './page.ar.json';
export { default as cells } from './cells.ar.json';
