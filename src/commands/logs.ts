import { defineCommand } from '../command.ts';
import { logFlags, readLogOptions } from '../flags/log.ts';
import { buildLogSource, findLatestBuild } from '../operations/builds/index.ts';
import { appLogSource, readLog } from '../operations/logs/index.ts';
import { appLogOutput } from '../views/log-line.ts';

/** Lines shown when no flag says how far to go back. */
const usualLines = 100;

export default defineCommand({
  configure: (command) =>
    logFlags(command.argument('<app>', 'app name or id'))
      .option('--run <id>', 'only what this run printed')
      .option('--container <name>', 'only what this container printed, by its full name')
      .addOption(
        command
          .createOption('--stream <stream>', 'only this one; with -f it is looked for every few seconds')
          .choices(['stdout', 'stderr'] as const),
      )
      .option('--search <text>', 'only lines with this text; with -f they are looked for every few seconds')
      .addOption(
        command
          .createOption('--build [id]', 'the log of a build instead; of the latest one if left out')
          .conflicts(['run', 'container', 'stream']),
      ),
  run: async (context, app, flags) => {
    const { project, signal, openLog, interruption } = context;
    const asked = readLogOptions(context, flags, usualLines);
    const { run: runId, container, stream, search, build } = flags;
    if (asked.follow) interruption.message = '';
    // While a log is followed, a look that fails is one of many.
    const api = asked.follow ? context.apiWithSignal(signal, () => {}) : context.api;
    const needs = { api, project, openLog };
    const source = build
      ? buildLogSource(needs, app, build === true ? await findLatestBuild(needs, app) : build, search)
      : appLogSource(needs, app, { container, stream, search, runId });
    return readLog(context, source, asked);
  },
  ...appLogOutput,
  examples: [
    'logs web',
    'logs web -f --timestamps',
    'logs web --since 1h30m --stream stderr --search Traceback',
    'logs web --run 6fa459ea-ee8a --tail all',
    'logs web --build',
    'logs web --since 2026-11-20 --json | jq -r .logLine',
  ],
});
