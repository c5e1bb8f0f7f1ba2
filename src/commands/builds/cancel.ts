import { defineCommand } from '../../command.ts';
import { cancelBuild } from '../../contract/builds.ts';

export default defineCommand({
  configure: (command) => command.argument('<app>', 'app name or id').argument('<build>', 'build id'),
  run: async ({ api, project, prompt }, app, build) => {
    await prompt.confirm(`Cancel build ${build} of ${app}?`);
    const said = await api(cancelBuild, { project, app, build });
    return { app, build, message: said.trim() };
  },
  view:
    ({ build, message }) =>
    () =>
      message || `build ${build} cancelled`,
  json: { app: 'app as it was named', build: 'build id', message: "the platform's confirmation" },
  examples: ['builds cancel web b-1234 --yes'],
});
