export { choices } from './choose-build.ts';
export { orRollBack, rollback, warnUnlessKept } from './or-roll-back.ts';
export { type RolledBack, returnToBuild } from './rollback.ts';
export { proofs } from './source.ts';
