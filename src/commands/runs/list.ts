import { defineCommand } from '../../command.ts';
import { UnavailableError } from '../../errors.ts';
import { listFlags } from '../../flags/list.ts';
import { rangeFlags } from '../../flags/range.ts';
import { runFilterFlags, runFilters } from '../../flags/run-filter.ts';
import { displayStatus, fillStatus, findRuns, type RunSearchResult } from '../../operations/runs/index.ts';
import { ago, count, duration, groupDigits } from '../../output/format.ts';
import { table } from '../../output/table.ts';

const dayMs = 86_400_000;

/** Lists of which all was asked for and not all came. */
const incomplete = new WeakSet<object>();

export default defineCommand({
  configure: (command) =>
    listFlags(
      runFilterFlags(rangeFlags(command.argument('<app>', 'app name or id'))).option(
        '--async',
        'only asynchronous ones',
      ),
    ),
  run: async (context, app, flags) => {
    const now = context.now();
    const until = Math.min(now, flags.until?.(now) ?? now);
    const found = await findRuns(context, {
      ...{ app, until, since: flags.since?.(now) ?? until - dayMs },
      filters: runFilters(flags),
      asyncOnly: flags.async === true,
      limit: flags.all ? Number.POSITIVE_INFINITY : flags.limit,
    });
    if (!found.isComplete) {
      if (found.runs.length === 0) throw noneOf(found);
      context.progress.warn('the platform announced more runs than it returned: some may be missing');
      if (flags.all) incomplete.add(found.runs);
    }
    const left = found.isComplete && !flags.all ? leftOut(found) : undefined;
    if (left) context.progress.note(left);
    return found.runs;
  },
  exit: (runs) => (incomplete.has(runs) ? 'unavailable' : 'ok'),
  view: (runs) =>
    table(
      runs,
      {
        RUN: (run) => run.id,
        STATUS: displayStatus,
        CODE: (run) => run.statusCode,
        FUNCTION: (run) => run.functionName,
        STARTUP: (run) => time(run.coldstartTimeMs),
        QUEUE: (run) => time(run.totalQueueTimeMs ?? run.queueTimeMs),
        RUNTIME: (run) => time(run.runtimeMs ?? run.executionTimeMs),
        RESPONSE: (run) => time(run.totalResponseTimeMs ?? run.responseTimeMs),
        CREATED: (run) => ago(run.createdAt),
      },
      ['RUN', 'RESPONSE', 'CREATED'],
    ),
  data: (runs) => runs.map(fillStatus),
  empty: 'no such runs in this time; --since looks further back',
  passesThrough: true,
  json: {
    id: 'run id',
    status: 'status as the platform tells it, otherwise what the status code means',
    statusCode: 'HTTP status; 0 was cancelled, -1 was closed by the caller',
    createdAt: 'RFC 3339, UTC',
    updatedAt: 'RFC 3339, UTC',
    coldstartTimeMs: 'how long a replica took to start for it; milliseconds, as all times',
    totalQueueTimeMs: 'how long it waited',
    runtimeMs: 'how long it was worked on',
    totalResponseTimeMs: 'how long its caller waited',
    podName: 'the container that served it',
    functionName: 'function, where the platform tells it',
    modelId: 'app id',
    projectId: 'project',
  },
  examples: [
    'runs list web',
    'runs list web --since 7d --status failure',
    'runs list web --since 2026-11-01 --until 2026-11-08 --all --json=id,statusCode',
    'runs list web --min-response 10s',
  ],
});

/** An empty list would read as "there are none". */
function noneOf({ total }: RunSearchResult): UnavailableError {
  const announced = total > 0 ? count(total, 'run') : 'runs';
  return new UnavailableError(`the platform announced ${announced} and returned none`, {
    fix: 'run the same command again',
  });
}

function leftOut({ runs, total, hasMore }: RunSearchResult): string | undefined {
  const shown = runs.length;
  if (shown < total)
    return `${groupDigits(shown)} of ${count(total, 'run')}${hasMore ? ' or more' : ''}; --all shows the rest`;
  return hasMore ? `the newest ${count(shown, 'run')}; --all looks for older ones` : undefined;
}

/** What took no time is a dash, what is not known nothing. */
function time(ms: number | null | undefined): string | undefined {
  return ms === null || ms === undefined ? undefined : ms === 0 ? '-' : duration(ms);
}
