export { readNamedFile, unreadable } from './named-file.ts';
