import { findJobs, type RunSearchResult, runDocument, runStatus, searchRuns } from '../../../calls/runs/index.ts';
import { UnavailableError } from '../../../kernel/errors.ts';
import { ago, count, durationCell, groupDigits } from '../../../kernel/output/format.ts';
import { type Cell, table } from '../../../kernel/output/table.ts';
import { runTimes } from '../../../platform/contract/runs.ts';
import { atPlatformTime } from '../../../platform/replies/index.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { lastDay, listFlags, rangeFlags, runFilterFlags, runFilters } from '../../flags/list.ts';
import { documents, passThrough } from '../../result-schema.ts';
import { runFields } from '../../views/run-fields.ts';
import { statusCell } from '../../views/status.ts';

const incomplete = new WeakSet<object>();

export default defineCommand({
  configure: (command) =>
    listFlags(runFilterFlags(rangeFlags(appArgument(command))).option('--async', 'only show asynchronous runs')),
  run: async (context, app, flags) => {
    const list = await atPlatformTime(context, (now) =>
      searchRuns(context, {
        app,
        ...lastDay(flags, now),
        filters: runFilters(flags),
        asyncOnly: flags.async === true,
        limit: flags.all ? Number.POSITIVE_INFINITY : flags.limit,
      }),
    );
    const jobs = await findJobs(context, app);
    const runs = list.runs.map((run) => ({ ...run, kind: jobs.isJob(run) ? 'job' : 'call' }));
    if (!list.isComplete) {
      if (list.runs.length === 0) throw missingRunsError(list);
      context.progress.warn('some runs may be missing: the platform announced more than it returned');
      if (flags.all) incomplete.add(runs);
    }
    const omitted = list.isComplete && !flags.all ? omittedText(list) : undefined;
    if (omitted) context.progress.footnote(omitted);
    return runs;
  },
  exit: (runs) => (incomplete.has(runs) ? 'unavailable' : 'ok'),
  view: (runs) =>
    table(runs, ['RUN', 'STATUS', 'CREATED', 'RESPONSE', 'CODE', 'KIND'], {
      RUN: (run) => run.id,
      STATUS: (run) => statusCell(runStatus(run) || 'in progress'),
      CODE: (run) => run.statusCode,
      FUNCTION: (run) => run.functionName,
      STARTUP: (run) => time(run.coldstartTimeMs),
      QUEUE: (run) => time(runTimes(run).queueMs),
      RUNTIME: (run) => time(runTimes(run).runMs),
      RESPONSE: (run) => time(runTimes(run).responseMs),
      CREATED: (run) => ago(run.createdAt),
      KIND: (run) => run.kind,
    }),
  data: (runs) => runs.map(runDocument),
  empty: 'no runs match; those of the last seconds may be missing, and --since goes further back',
  effect: 'reads',
  json: documents(passThrough(runFields)),
  examples: [
    'runs list web',
    'runs list web --since 7d --status failure',
    'runs list web --since 2026-11-01 --until 2026-11-08 --json=id',
    'runs list web --response 10s..',
  ],
});

/** An empty list would mean that there are no runs. */
function missingRunsError({ total }: RunSearchResult): UnavailableError {
  const announced = total > 0 ? count(total, 'run') : 'runs';
  return new UnavailableError(`the platform announced ${announced} and returned none`, {
    fix: 'run the same command again',
  });
}

function omittedText({ runs, total, hasMore }: RunSearchResult): string | undefined {
  const listed = runs.length;
  if (listed < total)
    return `showing ${groupDigits(listed)} of ${hasMore ? 'at least ' : ''}${count(total, 'run')}; pass --all to show the rest`;
  return hasMore ? `showing the newest ${count(listed, 'run')}; pass --all to show older ones` : undefined;
}

/** Until a run has ended, the platform may return 0 for an unknown duration. */
function time(ms: number | null | undefined): Cell {
  return ms ? durationCell(ms) : undefined;
}
