import { removeApp } from '../../../deploys/apps.ts';
import { defineCommand } from '../../command.ts';
import { namedAppArgument } from '../../flags/app.ts';
import { boolean, document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    namedAppArgument(command).option('--confirm <name>', 'confirm with the app name instead of at the prompt'),
  run: (context, app, { confirm }) => removeApp(context, app, confirm),
  view: ({ app }) => `deleted ${app}`,
  effect: 'destroys',
  dryRun: true,
  exits: ['pending'],
  json: document({
    app: text('app name'),
    project: text('project'),
    changed: boolean('true'),
    confirmed: boolean('false if the platform accepted it and does not list apps for this token'),
  }),
  examples: ['apps delete web', 'apps delete web --confirm web'],
});
