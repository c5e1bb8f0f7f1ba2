import { defineCommand } from '../../command.ts';
import { removeApp } from '../../operations/apps/index.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<app>', 'app name or id')
      .option('--confirm <name>', 'the name of the app once more, instead of typing it when asked'),
  run: (context, app, { confirm }) => removeApp(context, app, confirm),
  view:
    ({ app }) =>
    () =>
      `${app} is deleted`,
  json: { app: 'app name', project: 'project', deleted: 'true' },
  examples: ['apps delete web', 'apps delete web --confirm web'],
});
