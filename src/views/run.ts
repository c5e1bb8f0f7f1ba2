import type { Run } from '../contract/runs.ts';
import { displayStatus, hasEnded } from '../operations/runs/index.ts';
import { ago, duration, localTime } from '../output/format.ts';
import type { View } from '../output/page.ts';
import { keyValueTable, stackViews } from '../output/table.ts';

/** One run: what it was, when, where its time went, who served it. */
export function runView(run: Run): View {
  return stackViews(
    group('run', what(run)),
    group('when', when(run)),
    group('time', timings(run)),
    group('where', where(run)),
  );
}

type Facts = Parameters<typeof keyValueTable>[0];

function group(title: string, pairs: Facts): View {
  return (page) => {
    const body = keyValueTable(pairs)(page);
    return body && `${page.style.bold(title.toUpperCase())}\n${body}`;
  };
}

const what = (run: Run): Facts => [
  ['id', run.id],
  ['status', displayStatus(run)],
  ['status code', run.statusCode],
  ['function', run.functionName],
  ['method', run.method],
  ['kind', run.async ? 'asynchronous' : run.websocket ? 'WebSocket' : undefined],
  ['webhook', run.webhookEndpoint],
];

const when = (run: Run): Facts => [
  ['created', moment(run.createdAt)],
  ['container started', moment(run.containerStartedAt)],
  ['completed', moment(run.completedAt)],
  ['updated', run.completedAt ? undefined : moment(run.updatedAt)],
];

const timings = (run: Run): Facts => [
  ['queued', time(run.totalQueueTimeMs ?? run.queueTimeMs)],
  ['start-up', atEnd(run, run.coldstartTimeMs)],
  ['ran', atEnd(run, run.runtimeMs ?? run.executionTimeMs)],
  ['answered', atEnd(run, run.totalResponseTimeMs ?? run.responseTimeMs)],
];

const where = (run: Run): Facts => [
  ['container', run.containerId ?? run.podName],
  ['region', run.region],
];

function moment(at: string | null | undefined): Facts[0][1] {
  return at ? (page) => `${localTime(at)} (${ago(at)(page)})` : undefined;
}

/** Until a run has ended, the platform may say 0 for what it does not know. */
function atEnd(run: Run, ms: number | null | undefined): string | undefined {
  return ms || hasEnded(run) ? time(ms) : undefined;
}

function time(ms: number | null | undefined): string | undefined {
  return ms === null || ms === undefined ? undefined : duration(ms);
}
