import { remoteRun, resolveRun } from '../../../calls/runs/index.ts';
import { gantryCommand } from '../../../kernel/command-line.ts';
import { platformExits } from '../../../kernel/errors.ts';
import { wrapped } from '../../../kernel/output/table.ts';
import { refuseLatest } from '../../../platform/ids.ts';
import { cancelRemoteWork } from '../../../platform/waiting/index.ts';
import { defineCommand } from '../../command.ts';
import { canceledArguments } from '../../flags/app.ts';
import { boolean, document, nullable, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => canceledArguments(command, 'run'),
  run: async (context, app, word) => {
    refuseLatest(word, 'run', gantryCommand`runs list ${app}`);
    const run = await resolveRun(context, app, word);
    const confirm = async () => {
      await context.prompt.confirm(`Cancel run ${run} of ${app}?`);
      context.willChange(`cancel run ${run} of ${app}`, {
        app,
        run,
        status: null,
        changed: true,
        confirmed: false,
      });
    };
    const { changed, confirmed } = await cancelRemoteWork(context, remoteRun(context.project, app, run), confirm);
    return { app, run, status: confirmed ? 'canceled' : null, changed, confirmed };
  },
  view: ({ run, changed, confirmed }) => {
    const done = confirmed ? 'canceled' : 'asked to cancel';
    return wrapped(() => (changed ? `${done} run ${run}` : `nothing to change: run ${run} is already canceled`));
  },
  effect: 'destroys',
  dryRun: true,
  exits: [...platformExits, 'pending'],
  json: document({
    app: text('app name or id, as given'),
    run: text('run id'),
    status: nullable(text('canceled; null if the platform does not show it')),
    changed: boolean('false if it was already canceled'),
    confirmed: boolean('false if the platform accepted it and does not show the status'),
  }),
  examples: ['runs cancel web 3f2a91c0-… --yes'],
});
