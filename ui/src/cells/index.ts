export { default } from './cells';
