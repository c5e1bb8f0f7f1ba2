import { changeScaling } from '../../../deploys/apps.ts';
import { duration, forPeople } from '../../../kernel/output/format.ts';
import { type Cell, table } from '../../../kernel/output/table.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { durationFlag, wholeNumberFlag } from '../../flags/values.ts';
import { anything, boolean, document, nullable, number, objects, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .option('--min-replicas <number>', 'minimum number of replicas; 0 lets the app sleep', wholeNumberFlag(0))
      .option('--max-replicas <number>', 'maximum number of replicas', wholeNumberFlag(1))
      .option('--cooldown <duration>', 'how long a replica runs without requests', durationFlag)
      .option('--response-grace-period <duration>', 'maximum duration of a request', durationFlag),
  run: (context, app, { minReplicas, maxReplicas, cooldown, responseGracePeriod }) =>
    changeScaling(context, app, {
      minReplicaCount: minReplicas,
      maxReplicaCount: maxReplicas,
      cooldownPeriodSeconds: seconds(cooldown),
      responseGracePeriodSeconds: seconds(responseGracePeriod),
    }),
  view: ({ settings }) =>
    table(settings, [], {
      SETTING: ({ setting }) => setting,
      FROM: ({ setting, from }) => valueCell(setting, from),
      TO: ({ setting, to }) => valueCell(setting, to),
    }),
  effect: 'changes',
  dryRun: true,
  json: document({
    app: text('app name'),
    changed: boolean('whether anything changed'),
    resetByNextDeploy: boolean('whether the next deploy sets this to what cerebrium.toml has'),
    minCentsPerHour: nullable(number('US cents per hour at min_replicas'), 'the platform does not tell'),
    maxCentsPerHour: nullable(number('the same at max_replicas')),
    settings: objects('changed settings: setting, from, to; empty if nothing changed', {
      setting: text('key of cerebrium.toml'),
      from: anything('value before'),
      to: anything('value after'),
    }),
  }),
  examples: ['apps scale web --min-replicas 1', 'apps scale web --max-replicas 5 --cooldown 2m'],
});

/** The keys of durations, which are in seconds, have no unit in their name. */
function valueCell(setting: string, value: number | null): Cell {
  const isCount = /replicas$/.test(setting);
  return isCount || value === null ? value : forPeople(duration(1000 * value), value);
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms / 1000);
}
