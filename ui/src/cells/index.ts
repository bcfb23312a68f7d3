export { default } from './cells';
export { Preload } from './preload';
