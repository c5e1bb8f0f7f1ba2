export { type Check, examine } from './run-checks.ts';
