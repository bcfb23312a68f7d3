export { default as page } from './de.json';
export { default as cells } from '../cells/words/de.json';
