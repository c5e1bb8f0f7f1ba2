import type { Command as Commander } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import {
  appLogSource,
  buildLogSource,
  findContainer,
  readLog,
  readWorkLog,
  withWholeTracebacks,
} from '../../calls/logs/index.ts';
import { followRun, readRunEnding, resolveRun, withNewestRun } from '../../calls/runs/index.ts';
import { fetchBuild, followBuild, readBuildEnding, resolveBuild } from '../../deploys/builds/index.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { checkRange } from '../../kernel/durations.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { contextWith, TimeLimit } from '../../platform/waiting/index.ts';
import { defineCommand, type FlagsOf } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { durationFlag, timeFlag, wholeNumberFlag } from '../flags/values.ts';
import { logOutput } from '../views/log-line.ts';

/** Lines to show of an app, whose log has no end, if no flag says how far to go back. */
const defaultLines = 100;

export default defineCommand({
  configure: logFlags,
  flagRules: { requires: { timeout: ['follow'] }, excludes: { build: ['run', 'container', 'source'] } },
  run: (context, app, flags) => {
    const { run, build, timeout, follow } = flags;
    if (follow && (run ?? build) !== undefined) return followedLog(followLimit(context, app, flags), app, flags);
    if (timeout !== undefined) throw new UsageError('--timeout needs -f and --run or --build');
    return shownLog(context, app, flags);
  },
  ...logOutput,
  effect: 'reads',
  exits: ['pending', 'build-failed', 'not-ready', 'app-error'],
  details: [
    'Of an app, the last 100 lines are shown; of a build or a run, all. With --run or --build, -f ends with it, and has its exit code.',
  ],
  examples: [
    'logs web',
    'logs web -f --timestamps --prefix',
    'logs web --since 1h30m --source stderr --search Traceback',
    'logs web --run 6fa459ea-ee8a',
    'logs web --build -f --timeout 10m',
    'logs web --since 2026-11-20 --jq .logLine',
  ],
});

function followLimit(context: Context, app: string, { run, build, timeout }: LogsFlags): TimeLimit {
  const word = run ?? (build === true ? 'latest' : build);
  const kind = run === undefined ? 'build' : 'run';
  const named = word === 'latest' ? `the latest ${kind}` : `${kind} ${word}`;
  return new TimeLimit(context, { typedMs: timeout, failure: `the status of ${named} of ${app} was not known` });
}

/** What is there, and with `--follow` all that comes. */
async function shownLog(context: Context, app: string, flags: LogsFlags) {
  const { run, build } = flags;
  const { interruption } = context;
  const options = readLogOptions(context, flags, (build ?? run) === undefined ? defaultLines : undefined);
  if (options.follow) interruption.message = '';
  // While following, a failed request is retried by the next poll, so retries are not reported.
  const quiet = options.follow && { api: context.apiWithSignal(context.signal, () => {}) };
  const client = contextWith(context, quiet || {});
  if (build !== undefined) {
    const id = await resolveBuild(client, app, build === true ? undefined : build);
    const readEnding = () => readBuildEnding(context, app, id);
    return readLog(context, buildSource(client, app, id, flags), { ...options, readEnding });
  }
  if (run !== undefined) {
    const id = await resolveRun(client, app, run);
    const readEnding = () => readRunEnding(context, app, id);
    return readLog(context, await appSource(client, app, id, flags), { ...options, readEnding });
  }
  const source = await appSource(client, app, undefined, flags);
  const isUpToNow = !source.isFiltered && !options.follow && options.until === undefined && options.tail !== 0;
  return readLog(context, isUpToNow ? withNewestRun(context, app, source) : source, options);
}

async function followedLog(limit: TimeLimit, app: string, flags: LogsFlags) {
  const { unlimited: context } = limit;
  const { run, build } = flags;
  const [kind, id] =
    run === undefined
      ? ['build', await resolveBuild(limit.context, app, build === true ? undefined : build)]
      : ['run', await resolveRun(limit.context, app, run)];
  context.interruption.message = sentence`stopped following; ${kind} ${id} continues; to follow it: ${gantryCommand`logs ${app} ${{ [`--${kind}`]: id }} -f`}`;
  const source = run === undefined ? undefined : await appSource(limit.context, app, id, flags, context);
  const options = readLogOptions(context, flags);
  const common = { app, timeoutMs: limit.handOver(), startedBefore: true } as const;
  return readWorkLog(
    context,
    (ownContext, ended) =>
      readLog(ownContext, source ?? buildSource(ownContext, app, id, flags), { ...options, ended }),
    (ownContext, page) =>
      run === undefined
        ? followBuild(ownContext, { ...common, build: id, logs: true, shown: page })
        : followRun(ownContext, { ...common, run: id, shown: page }),
  );
}

function buildSource(client: Context, app: string, build: string, { search }: LogsFlags) {
  const readStatus = async () => (await fetchBuild(client.api, { project: client.project, app, build })).status;
  return buildLogSource(client, app, build, { search, readStatus });
}

/** `client` reads the log; the other one finds the container. */
async function appSource(
  context: Context,
  app: string,
  runId: string | undefined,
  { container: part, source: stream, search }: LogsFlags,
  client = context,
) {
  const container = part === undefined ? undefined : await findContainer(context, app, part);
  const source = appLogSource(client, app, { container, stream, search, runId });
  const whole = (named: string) => appLogSource(client, app, { container: named || container, stream, runId });
  return search === undefined ? source : withWholeTracebacks(source, whole);
}

type LogsFlags = FlagsOf<typeof logFlags>;

function logFlags(command: Commander) {
  return appArgument(command)
    .option('-f, --follow', 'print new lines as they arrive, until Ctrl-C')
    .option('--since <time>', 'start at this time, or this long ago: 1h30m, 2d', timeFlag)
    .option('--until <time>', 'end at this time, or this long ago', timeFlag)
    .option('-n, --tail <number>', 'number of last lines to show, or "all"', tailFlag)
    .option('--timestamps', 'show the time of each line')
    .option('--raw', 'print lines unchanged, including control sequences')
    .option('--prefix', 'show the container of each line')
    .option('--run <id>', 'only show lines of this run; latest or latest:failed')
    .option('--container <name>', 'only show lines of this container, or of a part of its name')
    .addOption(
      command
        .createOption('--source <stream>', 'only show this stream (-f then polls every few seconds)')
        .choices(['stdout', 'stderr'] as const),
    )
    .option('--search <text>', 'only show lines with this text, and the traceback of each (-f then polls)')
    .option('--build [id]', 'show the log of a build (default: latest) instead')
    .option('--timeout <duration>', 'stop waiting for the end of --run or --build (default: 1h)', durationFlag);
}

/** `defaultTail`: lines to show if no flag says how far to go back. Throws UsageError if the range is invalid. */
function readLogOptions({ now }: Pick<Context, 'now'>, flags: LogsFlags, defaultTail = Number.POSITIVE_INFINITY) {
  const { follow } = flags;
  const since = flags.since?.(now());
  const until = flags.until?.(now());
  checkRange({ since, until });
  const tail = flags.tail ?? (since === undefined ? defaultTail : Number.POSITIVE_INFINITY);
  return {
    since,
    until,
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
