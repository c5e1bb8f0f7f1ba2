import { defineCommand } from '../../command.ts';
import { deleteApp, getApp } from '../../contract/apps.ts';
import { appName } from '../../contract/endpoint.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<app>', 'app name or id')
      .option('--confirm <name>', 'the name of the app once more, instead of typing it when asked'),
  run: async ({ api, project, prompt }, app, { confirm }) => {
    await api(getApp, { project, app });
    const name = appName(project, app);
    await prompt.confirmByName(`This deletes ${name} and its builds for good.`, name, confirm);
    await api(deleteApp, { project, app });
    return { app: name, project, deleted: true };
  },
  view:
    ({ app }) =>
    () =>
      `${app} is deleted`,
  json: { app: 'app name', project: 'project', deleted: 'true' },
  examples: ['apps delete web', 'apps delete web --confirm web'],
});
