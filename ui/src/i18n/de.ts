export { default as page } from './page.de.json';
export { default as cells } from './cells.de.json';
