export { default as page } from './page.ar.json';
export { default as cells } from './cells.ar.json';
