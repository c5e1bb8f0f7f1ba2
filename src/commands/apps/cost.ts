import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { timeFlag } from '../../flags/values.ts';
import { readAppCost } from '../../operations/apps/index.ts';
import { anything, document, passThrough } from '../../result-schema.ts';
import { appCostView } from '../../views/app-cost.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .option('--since <time>', 'first day, such as 2026-11-20 or 7d', timeFlag)
      .option('--until <time>', 'last day', timeFlag),
  run: (context, app, { since, until }) =>
    readAppCost(context, app, { since: since?.(context.now()), until: until?.(context.now()) }),
  view: appCostView,
  effect: 'reads',
  json: document(passThrough({ costs: anything('by day: total_cost_cents; platform value, passed through') })),
  examples: ['apps cost web', 'apps cost web --since 7d', 'apps cost web --json'],
});
