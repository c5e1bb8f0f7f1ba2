import { remoteBuild, resolveBuild } from '../../../deploys/builds/index.ts';
import { gantryCommand } from '../../../kernel/command-line.ts';
import { platformExits } from '../../../kernel/errors.ts';
import { shortBuild } from '../../../kernel/output/format.ts';
import { wrapped } from '../../../kernel/output/table.ts';
import { refuseLatest } from '../../../platform/ids.ts';
import { cancelRemoteWork } from '../../../platform/waiting/index.ts';
import { defineCommand } from '../../command.ts';
import { canceledArguments } from '../../flags/app.ts';
import { boolean, document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => canceledArguments(command, 'build'),
  run: async (context, app, word) => {
    refuseLatest(word, 'build', gantryCommand`builds list ${app}`);
    const build = await resolveBuild(context, app, word);
    const confirm = async () => {
      await context.prompt.confirm(`Cancel build ${shortBuild(build)} of ${app}?`);
      context.willChange(`cancel build ${shortBuild(build)} of ${app}`, {
        app,
        build,
        message: '',
        changed: true,
        confirmed: false,
      });
    };
    const outcome = await cancelRemoteWork(context, remoteBuild(context.project, app, build), confirm);
    return { app, build, ...outcome };
  },
  view: ({ build, message, changed, confirmed }) => {
    const done = message || `${confirmed ? 'canceled' : 'asked to cancel'} build ${shortBuild(build)}`;
    return wrapped(() => (changed ? done : `nothing to change: build ${shortBuild(build)} is already canceled`));
  },
  effect: 'destroys',
  dryRun: true,
  exits: [...platformExits, 'pending'],
  json: document({
    app: text('app name or id, as given'),
    build: text('build id'),
    message: text("the platform's reply if it is one line of text, otherwise empty"),
    changed: boolean('false if it was already canceled'),
    confirmed: boolean('false if the platform accepted it and does not show the status'),
  }),
  examples: ['builds cancel web b-1234', 'builds cancel web b-1234 --yes'],
});
