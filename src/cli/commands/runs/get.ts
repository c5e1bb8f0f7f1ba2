import {
  fetchShownRun,
  hasEnded,
  kindOfRun,
  readExitCode,
  resolveRun,
  runDocument,
  runHasFailed,
  runStatus,
} from '../../../calls/runs/index.ts';
import { gantryCommand } from '../../../kernel/command-line.ts';
import { ago, durationCell, localTime } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { type FactRows, factGroup, stackViews } from '../../../kernel/output/table.ts';
import { type Run, replicaOf, runTimes } from '../../../platform/contract/runs.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { document, integer, nullable, passThrough } from '../../result-schema.ts';
import { runFields } from '../../views/run-fields.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => appArgument(command).argument('[run]', 'run id (default: latest)'),
  run: async (context, app, named) => {
    const run = await fetchShownRun(context, app, await resolveRun(context, app, named));
    return { ...run, kind: await kindOfRun(context, app, run) };
  },
  view: runView,
  data: (run) => ({ ...runDocument(run), programExitCode: readExitCode(run) }),
  next: (run, _, [app]) =>
    runHasFailed(run) ? [{ line: gantryCommand`explain ${String(app)} ${run.id}`, when: 'to see why it failed' }] : [],
  effect: 'reads',
  json: document(
    passThrough({
      ...runFields,
      programExitCode: nullable(integer("of a job, the program's exit code"), 'not known'),
    }),
  ),
  examples: ['runs get web 3f2a91c0-…', 'runs get web 3f2a91c0-… --json=status,statusCode'],
});

function runView(run: ShownRun): View {
  return stackViews(
    factGroup('run', identity(run)),
    factGroup('when', timestamps(run)),
    factGroup('time', timings(run)),
    factGroup('where', location(run)),
  );
}

type ShownRun = Run & { kind: string };

const identity = (run: ShownRun): FactRows => [
  ['id', run.id],
  ['status', statusCell(runStatus(run) || 'in progress')],
  ['status code', run.statusCode],
  ['exit code', readExitCode(run)],
  ['kind', run.kind],
  ['function', run.functionName],
  ['method', [run.method, run.async ? 'asynchronous' : run.websocket && 'WebSocket'].filter(Boolean).join(', ')],
  ['webhook', run.webhookEndpoint],
  ['delivery', run.webhookEndpoint ? run.webhookDelivery || 'not known: the platform does not tell it' : undefined],
  ['response', run.async && !run.webhookEndpoint ? 'not kept by the platform' : undefined],
];

const timestamps = (run: Run): FactRows => [
  ['created', timestamp(run.createdAt)],
  ['container started', timestamp(run.containerStartedAt)],
  ['completed', timestamp(run.completedAt)],
  ['updated', run.completedAt ? undefined : timestamp(run.updatedAt)],
];

function timings(run: Run): FactRows {
  const { queueMs, runMs, responseMs } = runTimes(run);
  return [
    ['queued', durationCell(queueMs)],
    ['start-up', finalTime(run, run.coldstartTimeMs)],
    ['ran', finalTime(run, runMs)],
    ['response', finalTime(run, responseMs)],
  ];
}

const location = (run: Run): FactRows => [
  ['container', replicaOf(run)],
  ['region', run.region],
];

function timestamp(at: string | null | undefined): FactRows[0][1] {
  return at ? (page) => (page.terminal ? `${localTime(at)} (${ago(at)(page)})` : at) : undefined;
}

/** Until a run has ended, the platform may return 0 for an unknown duration. */
function finalTime(run: Run, ms: number | null | undefined): FactRows[0][1] {
  return ms || hasEnded(run) ? durationCell(ms) : undefined;
}
