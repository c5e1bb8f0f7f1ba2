import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import { appLogSource, buildLogSource, findContainer, type ReadLogOptions, readLog } from '../../calls/logs/index.ts';
import { readRunEnding, resolveRun } from '../../calls/runs/index.ts';
import { fetchBuild, readBuildEnding, resolveBuild } from '../../deploys/builds/index.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { defineCommand } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { type TimeFromNow, timeFlag, wholeNumberFlag } from '../flags/values.ts';
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

interface LogFlags {
  follow?: true | undefined;
  since?: TimeFromNow | undefined;
  until?: TimeFromNow | undefined;
  tail?: number | undefined;
  failOnGap?: true | undefined;
}

/** Adds the flags of commands that print a log. */
function logFlags<Inputs extends unknown[], Options extends OptionValues>(command: Commander<Inputs, Options>) {
  return command
    .option('-f, --follow', 'print new lines as they arrive, until Ctrl-C')
    .option('--since <time>', 'start at this time, or this long ago: 1h30m, 2d', timeFlag)
    .option('--until <time>', 'end at this time, or this long ago', timeFlag)
    .option('-n, --tail <number>', 'number of last lines to show, or "all"', tailFlag)
    .option('--timestamps', 'show the time of each line')
    .option('--raw', 'print lines unchanged, including control sequences')
    .option('--fail-on-gap', 'exit with 1 if lines may be missing');
}

/** `defaultTail`: lines to show if no flag says how far to go back. Throws UsageError if the range is invalid. */
function readLogOptions(
  { now }: Pick<Context, 'now'>,
  flags: LogFlags,
  defaultTail = Number.POSITIVE_INFINITY,
): ReadLogOptions {
  const { follow, failOnGap } = flags;
  const [since, until] = [flags.since?.(now()), flags.until?.(now())];
  if (since !== undefined && until !== undefined && until < since) {
    throw new UsageError('invalid range: --until is before --since');
  }
  const tail = flags.tail ?? (since === undefined ? defaultTail : Number.POSITIVE_INFINITY);
  return {
    since,
    until,
    failOnGap,
    tail: Number.isFinite(tail) ? tail : undefined,
    // A range that is over has no new lines.
    follow: follow && (until === undefined || until > now()),
  };
}

const wholeNumber = wholeNumberFlag(0);

function tailFlag(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 0 up, or all.');
  return wholeNumber(text);
}
