import { defineCommand } from '../../command.ts';
import { getApp } from '../../contract/apps.ts';
import { appView } from '../../views/app.ts';

export default defineCommand({
  configure: (command) => command.argument('<app>', 'app name or id'),
  run: ({ api, project }, app) => api(getApp, { project, app }),
  view: appView,
  passesThrough: true,
  examples: ['apps get web', 'apps get web --json=status,latestReadyBuildId'],
});
