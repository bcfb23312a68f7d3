// All German UI text in one chunk, because the cells step loads right after the page.
export { default as page } from './page.de.json';
export { default as cells } from './cells.de.json';
