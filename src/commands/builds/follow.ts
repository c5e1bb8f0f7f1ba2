import { defineCommand } from '../../command.ts';
import { durationFlag } from '../../flags/values.ts';
import { followBuild, resolveBuild } from '../../operations/builds/index.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<app>', 'app name or id')
      .argument('[build]', 'build id; the latest one if left out')
      .option('--no-logs', 'do not show the log of the build')
      .option('--timeout <duration>', 'stop waiting after this long (1h if left out)', durationFlag)
      .option('--events', 'print one JSON object per line as things happen'),
  run: async (context, app, build, { logs, timeout = 3_600_000 }) => {
    const { api, project, interruption } = context;
    const found = await resolveBuild({ api, project }, app, build);
    interruption.message = `stopped watching; build ${found} goes on: gantry builds follow ${app} ${found}`;
    return followBuild(context, { app, build: found, logs, timeoutMs: timeout, startedBefore: true });
  },
  view:
    ({ id, status }) =>
    () =>
      `${id} ${status}`,
  passesThrough: true,
  json: { id: 'build id', status: 'how it ended', createdAt: 'RFC 3339, UTC', updatedAt: 'RFC 3339, UTC' },
  examples: ['builds follow web', 'builds follow web b-1234 --timeout 10m'],
});
