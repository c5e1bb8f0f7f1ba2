export { readNamedFile, throwUnreadable } from './named-file.ts';
