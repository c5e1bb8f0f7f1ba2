export { default } from '../profiles/list.ts';
