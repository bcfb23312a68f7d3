export { default as page } from './page.en.json';
export { default as cells } from './cells.en.json';
