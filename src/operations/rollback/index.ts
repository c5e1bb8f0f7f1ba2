export { orRollBack, warnUnlessKept } from './roll-back-unhealthy.ts';
export { type RolledBack, rollback } from './rollback.ts';
