import { type RolledBack, rolledBackFields } from '../../deploys/rollback/index.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import { document } from '../result-schema.ts';

/** What the commands have in common that deploy a build again: rollback, apps restart, promote. */
export const deployedAgain = {
  view: ({ app, build, restored, endpoint, changed }: RolledBack) =>
    changed
      ? endpoint || `${app} serves build ${shortBuild(build ?? '')}`
      : `nothing to change: build ${shortBuild(build ?? restored)} serves`,
  effect: 'changes',
  dryRun: true,
  exits: ['pending', 'build-failed', 'not-ready'],
  json: document(rolledBackFields),
} as const;
