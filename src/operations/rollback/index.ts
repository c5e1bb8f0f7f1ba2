export { orRollBack, rollback, warnUnlessKept } from './or-roll-back.ts';
export { choices } from './return-to.ts';
export { proofs } from './source.ts';
