export { warnUnlessKept } from './choose-build.ts';
export { promote } from './promote.ts';
export { type RolledBack, rolledBackFields } from './redeploy.ts';
export { restart } from './restart.ts';
export { orRollBack, rollback } from './rollback.ts';
