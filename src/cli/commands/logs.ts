import { appLogSource, buildLogSource, findContainer, readLog } from '../../calls/logs/index.ts';
import { readRunEnding, resolveRun } from '../../calls/runs/index.ts';
import { fetchBuild, readBuildEnding, resolveBuild } from '../../deploys/builds/index.ts';
import { defineCommand } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { logFlags, readLogOptions } from '../flags/log.ts';
import { logOutput } from '../views/log-line.ts';

/** Lines to show of an app, whose log has no end, if no flag says how far to go back. */
const defaultLines = 100;

export default defineCommand({
  configure: (command) =>
    logFlags(appArgument(command))
      .option('--prefix', 'show the container of each line')
      .option('--run <id>', 'only show lines of this run')
      .option('--container <name>', 'only show lines of this container; a part of its name is enough')
      .addOption(
        command
          .createOption('--source <stream>', 'only show this stream (-f then polls every few seconds)')
          .choices(['stdout', 'stderr'] as const),
      )
      .option('--search <text>', 'only show lines with this text (-f then polls every few seconds)')
      .addOption(
        command
          .createOption('--build [id]', 'show the log of a build (default: latest) instead')
          .conflicts(['run', 'container', 'source']),
      ),
  run: async (context, app, flags) => {
    const { project, signal, openLog, interruption, cwd, platformNow } = context;
    const { source: stream, search, build, run } = flags;
    const options = readLogOptions(context, flags, (build ?? run) === undefined ? defaultLines : undefined);
    if (options.follow) interruption.message = '';
    // While following, a failed request is retried by the next poll, so retries are not reported.
    const api = options.follow ? context.apiWithSignal(signal, () => {}) : context.api;
    const client = { api, project, openLog };
    const runId = run === undefined ? undefined : await resolveRun({ ...client, cwd, platformNow }, app, run);
    const container =
      flags.container === undefined ? undefined : await findContainer({ ...client, signal }, app, flags.container);
    if (build) {
      const id = await resolveBuild(client, app, build === true ? undefined : build);
      const readStatus = async () => (await fetchBuild(api, { project, app, build: id })).status;
      const readEnding = () => readBuildEnding(context, app, id);
      return readLog(context, buildLogSource(client, app, id, { search, readStatus }), { ...options, readEnding });
    }
    const readEnding = runId === undefined ? undefined : () => readRunEnding(context, app, runId);
    return readLog(context, appLogSource(client, app, { container, stream, search, runId }), {
      ...options,
      readEnding,
    });
  },
  ...logOutput,
  effect: 'reads',
  details: [
    'Of an app, the last 100 lines are shown; of a build or a run, all of them. --run, --container and --source do not apply to the log of a build.',
  ],
  examples: [
    'logs web',
    'logs web -f --timestamps --prefix',
    'logs web --since 1h30m --source stderr --search Traceback',
    'logs web --run 6fa459ea-ee8a',
    'logs web --build -f',
    "logs web --since 2026-11-20 --json | jq -r '.logLine // empty'",
  ],
});
