import { readHistory } from '../../deploys/history/index.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { defineCommand } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { applyLimit, listFlags } from '../flags/list.ts';
import { timeFlag } from '../flags/values.ts';
import { documents } from '../result-schema.ts';
import { eventFields, historyView } from '../views/history.ts';

export default defineCommand({
  configure: (command) =>
    listFlags(appArgument(command)).option('--since <time>', 'only events since then, such as 2d', timeFlag),
  run: async (context, app, { since, ...flags }) => {
    const { progress, project } = context;
    const history = await readHistory(context, shortAppName(project, app));
    const from = since?.(context.platformNow()) ?? 0;
    const all = history.listed();
    const shown = all.filter(({ at }) => Date.parse(at) >= from);
    const [last] = all;
    if (!last) progress.note('this machine has not deployed or watched it');
    else if (shown.length === 0) progress.note(`nothing since then: the last event is from ${last.at}`);
    return applyLimit(shown, flags, progress, 'event');
  },
  view: historyView,
  effect: 'reads',
  exits: [],
  json: documents(eventFields),
  details: [
    'What this machine has seen of an app and done to it, and with team-state what its team has: what was sent, what served, what a watch found, and what changed without a command of theirs. Nothing else is asked of the platform.',
  ],
  examples: ['history', 'history web --since 2d', 'history web --json=at,event,build'],
});
