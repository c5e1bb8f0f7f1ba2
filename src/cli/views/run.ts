import { displayStatus, hasEnded } from '../../calls/runs/index.ts';
import { ago, durationCell, localTime } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { type FactRows, factGroup, stackViews } from '../../kernel/output/table.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { statusCell } from './status.ts';

export function runView(run: Run): View {
  return stackViews(
    factGroup('run', identity(run)),
    factGroup('when', timestamps(run)),
    factGroup('time', timings(run)),
    factGroup('where', location(run)),
  );
}

const identity = (run: Run): FactRows => [
  ['id', run.id],
  ['status', statusCell(displayStatus(run))],
  ['status code', run.statusCode],
  ['function', run.functionName],
  ['method', run.method],
  ['kind', run.async ? 'asynchronous' : run.websocket ? 'WebSocket' : undefined],
  ['webhook', run.webhookEndpoint],
  ['response', run.async ? (run.webhookEndpoint ? 'sent to the webhook' : 'not kept by the platform') : undefined],
];

const timestamps = (run: Run): FactRows => [
  ['created', timestamp(run.createdAt)],
  ['container started', timestamp(run.containerStartedAt)],
  ['completed', timestamp(run.completedAt)],
  ['updated', run.completedAt ? undefined : timestamp(run.updatedAt)],
];

const timings = (run: Run): FactRows => [
  ['queued', durationCell(run.totalQueueTimeMs ?? run.queueTimeMs)],
  ['start-up', finalTime(run, run.coldstartTimeMs)],
  ['ran', finalTime(run, run.runtimeMs ?? run.executionTimeMs)],
  ['response', finalTime(run, run.totalResponseTimeMs ?? run.responseTimeMs)],
];

const location = (run: Run): FactRows => [
  ['container', run.containerId ?? run.podName],
  ['region', run.region],
];

function timestamp(at: string | null | undefined): FactRows[0][1] {
  return at ? (page) => (page.terminal ? `${localTime(at)} (${ago(at)(page)})` : at) : undefined;
}

/** Until a run has ended, the platform may return 0 for an unknown duration. */
function finalTime(run: Run, ms: number | null | undefined): FactRows[0][1] {
  return ms || hasEnded(run) ? durationCell(ms) : undefined;
}
