import { defineCommand } from '../../command.ts';
import { platformExits } from '../../errors.ts';
import { durationFlag } from '../../flags/values.ts';
import { followBuild, resolveBuild } from '../../operations/builds/index.ts';
import { document, passThrough, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<app>', 'app name or id')
      .argument('[build]', 'build id (default: latest)')
      .option('--no-logs', 'do not show the build log')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
      .option('--events', 'print progress as JSON lines'),
  run: async (context, app, build, { logs, timeout = 3_600_000 }) => {
    const { api, project, interruption } = context;
    const id = await resolveBuild({ api, project }, app, build);
    interruption.message = `stopped following; build ${id} continues; to follow it: gantry builds follow ${app} ${id}`;
    return followBuild(context, { app, build: id, logs, timeoutMs: timeout, startedBefore: true });
  },
  view:
    ({ id, status }) =>
    () =>
      `${id} ${status}`,
  effect: 'reads',
  exits: [...platformExits, 'pending', 'build-failed', 'not-ready'],
  json: document(
    passThrough({
      id: text('build id'),
      status: text('final status'),
      createdAt: text('RFC 3339, UTC'),
      updatedAt: text('RFC 3339, UTC'),
    }),
  ),
  examples: ['builds follow web', 'builds follow web b-1234 --timeout 10m'],
});
