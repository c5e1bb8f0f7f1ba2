import { defineCommand } from '../../command.ts';
import { stopBuild } from '../../operations/builds/index.ts';

export default defineCommand({
  configure: (command) => command.argument('<app>', 'app name or id').argument('<build>', 'build id'),
  run: (context, app, build) =>
    stopBuild(context, app, build, () => context.prompt.confirm(`Cancel build ${build} of ${app}?`)),
  view:
    ({ build, message, changed }) =>
    () =>
      changed ? message || `build ${build} is cancelled` : `already as asked: build ${build} is cancelled`,
  json: {
    app: 'app as it was named',
    build: 'build id',
    message: "the platform's answer if it is one line of text, otherwise empty",
    changed: 'false when it was cancelled already',
  },
  examples: ['builds cancel web b-1234', 'builds cancel web b-1234 --yes'],
});
