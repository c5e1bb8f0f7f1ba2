import { followBuild, resolveBuild } from '../../../deploys/builds/index.ts';
import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { platformExits } from '../../../kernel/errors.ts';
import { TimeLimit } from '../../../platform/waiting/index.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { durationFlag } from '../../flags/values.ts';
import { document, passThrough, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .argument('[build]', 'build id (default: latest)')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
      .option('--events', 'print progress as JSON lines'),
  run: async (context, app, build, { timeout: typedMs }) => {
    const { interruption, progress } = context;
    const logs = !progress.isQuiet;
    const named = build ? `build ${build}` : 'the latest build';
    const limit = new TimeLimit(context, { typedMs, failure: `the status of ${named} of ${app} was not known` });
    const id = await resolveBuild(limit.context, app, build);
    interruption.message = sentence`stopped following; build ${id} continues; to follow it: ${gantryCommand`builds follow ${app} ${id}`}`;
    return followBuild(context, { app, build: id, logs, timeoutMs: limit.handOver(), startedBefore: true });
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
