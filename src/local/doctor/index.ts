export { type Check, runChecks } from './run-checks.ts';
