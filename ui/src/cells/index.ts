export { default } from './cells';
export { Beginning } from './begin';
