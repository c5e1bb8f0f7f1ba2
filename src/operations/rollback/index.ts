export { choices } from './choose-build.ts';
export { sayWhatServes } from './interruption.ts';
export { proofs } from './prove-files.ts';
export { orRollBack, warnUnlessKept } from './roll-back-unhealthy.ts';
export { rollback } from './rollback.ts';
