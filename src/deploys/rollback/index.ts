export { orRollBack, rollback, warnUnlessKept } from './or-roll-back.ts';
export { choices } from './return-to.ts';
export { type RolledBack, returnToBuild } from './rollback.ts';
export { proofs } from './source.ts';
