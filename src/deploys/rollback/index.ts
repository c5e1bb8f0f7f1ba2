export { warnUnlessKept } from './choose-build.ts';
export { orRollBack, type RolledBack, returnToBuild, rollback } from './rollback.ts';
export { proofs } from './source.ts';
