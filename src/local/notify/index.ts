export { announceEnd } from './announce-end.ts';
