import { cacheKinds, listCache } from '../../../local/cache.ts';
import { defineCommand } from '../../command.ts';
import { cacheDetails, cacheOutput } from '../../views/cache-entry.ts';

export default defineCommand({
  configure: (command) =>
    command
      .addArgument(command.createArgument('[kind]', 'only these').choices(cacheKinds))
      .option('--app <app>', 'only archives and runs of this app'),
  run: (context, kind, { app }) => listCache(context, { kind, app }),
  ...cacheOutput,
  empty: 'nothing is kept on this machine',
  effect: 'reads',
  exits: [],
  details: cacheDetails,
  examples: ['cache list', 'cache list archives --app web', 'cache list --json=kind,bytes'],
});
