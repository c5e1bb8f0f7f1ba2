export { choices } from './choose-build.ts';
export { orRollBack, type RolledBack, returnToBuild, rollback, warnUnlessKept } from './rollback.ts';
export { proofs } from './source.ts';
