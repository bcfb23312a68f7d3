export { default as page } from './ar.json';
export { default as cells } from '../cells/words/ar.json';
