import { cacheKinds, clearCache } from '../../../local/cache.ts';
import { defineCommand } from '../../command.ts';
import { durationFlag } from '../../flags/values.ts';
import { cacheDetails, cacheOutput } from '../../views/cache-entry.ts';

export default defineCommand({
  configure: (command) =>
    command
      .addArgument(command.createArgument('[kind]', 'only these').choices(cacheKinds))
      .option('--app <app>', 'only archives and runs of this app')
      .option('--older-than <duration>', 'only what was not used for this long', durationFlag),
  run: (context, kind, { app, olderThan }) => clearCache(context, { kind, app, olderThan }),
  ...cacheOutput,
  empty: 'there was nothing to remove',
  effect: 'destroys',
  local: true,
  dryRun: true,
  exits: ['failed', 'input-needed'],
  details: cacheDetails,
  examples: ['cache clear packing', 'cache clear --older-than 30d', 'cache clear archives --app web --yes'],
});
