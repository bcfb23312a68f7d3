export { default as page } from './en.json';
export { default as cells } from '../cells/words/en.json';
