import { attempt } from '../../../kernel/errors.ts';
import { defined } from '../../../kernel/json-text.ts';
import { type EndedRunStatus, runOutcome } from '../../../platform/contract/run-outcome.ts';
import { type BucketSize, isInBounds, type RunStatus, type RunsQuery } from '../../../platform/contract/runs.ts';
import { refuse } from '../../http/reply.ts';
import { aggregateRuns, type Bucket, splitIntoBuckets } from '../../model/runs/buckets.ts';
import {
  compareNewestFirst,
  findRun,
  findRuns,
  getRunProgress,
  type RunPosition,
  type RunProgress,
} from '../../model/runs/record.ts';
import type { AppRecord, RunRecord } from '../../model/state/records.ts';
import { findApp } from '../../model/state/store.ts';
import { day, formatTime, hour, minute, parseTimeRange, type TimeRange } from '../../model/time.ts';
import type { Handlers } from '../platform.ts';

export const runHandlers = {
  // A range of more than 24 hours is always aggregated (spec 4.6).
  getRunsChart({ query, ...params }, platform) {
    const app = findApp(platform.store, params);
    const range = parseTimeRange(query, ['startTime', 'endTime'], platform.now());
    const buckets = bucketsForQuery(range, query);
    const matching = findRuns(app, range, platform)
      .map((run) => ({ run, createdAt: run.createdAt, progress: getRunProgress(run, platform.now()) }))
      .filter(({ progress }) => matchesQuery(progress, query));
    const total = matching.length;
    if (query.aggregate || range.end - range.start > day) {
      const timeRange = `${formatTime(range.start)}/${formatTime(range.end)}`;
      return { aggregatedData: aggregateRuns(matching, buckets.list), groupBy: buckets.size, timeRange, total };
    }

    const { nextToken, limit = 100 } = query;
    const offset = nextToken === undefined ? (query.offset ?? 0) : parseOffsetToken(nextToken);
    const items = matching.slice(offset, offset + limit).map(({ run, progress }) => runChartItem(app, run, progress));
    return { items, total, ...(offset + limit < total && { nextToken: String(offset + limit) }) };
  },

  listRuns({ query, ...params }, platform) {
    const app = findApp(platform.store, params);
    const after = query.nextToken === undefined ? undefined : parsePageToken(query.nextToken);
    const matches = (run: RunRecord) =>
      (!query.asyncOnly || run.async) && (!after || compareNewestFirst(after, run) < 0);
    const matching = findRuns(app, { start: 0, end: after?.createdAt ?? platform.now() }, platform).filter(matches);
    const page = matching.slice(0, pageSize);
    const last = page.at(-1);
    return {
      items: page.map((run) => runListItem(app, run, getRunProgress(run, platform.now()))),
      nextToken: last && matching.length > pageSize ? pageTokenAfter(last) : '',
    };
  },

  getRun(params, platform) {
    const app = findApp(platform.store, params);
    const run = findRun(app, params.run, platform.store, platform.now());
    return { item: runListItem(app, run, getRunProgress(run, platform.now())) };
  },

  cancelRun(params, { store, now, runner }) {
    const run = findRun(findApp(store, params), params.run, store, now());
    const { status, endedAt } = getRunProgress(run, now());
    if (endedAt !== undefined) refuse(409, `run ${run.id} cannot be canceled: it is ${status}`);
    store.runs.set(run.id, { ...run, cancelledAt: now() });
    runner.cancel('run', run.id);
    store.save();
    return undefined;
  },
} satisfies Partial<Handlers>;

const pageSize = 100;

/** The default is hours, or days if the range is longer than a week (spec 4.6). */
function bucketsForQuery(range: TimeRange, { groupBy, timezone }: RunsQuery): { size: BucketSize; list: Bucket[] } {
  const length = range.end - range.start;
  const size = groupBy ?? (length > 7 * day ? 'day' : 'hour');
  const number = length / { minute, hour, day }[size];
  if (number > maxBuckets) refuse(400, `the range has too many ${size} buckets: ${Math.ceil(number)}`);
  const list = attempt(() => splitIntoBuckets(range, size, timezone));
  return { size, list: list ?? refuse(400, `timezone must be an IANA time zone: ${timezone}`) };
}

/** The emulator's limit, to bound memory: a month of minutes. */
const maxBuckets = 50_000;

function matchesQuery({ status, statusCode, coldstartMs, responseMs }: RunProgress, query: RunsQuery): boolean {
  return (
    (query.status === undefined || query.status === status) &&
    (query.statusCode === undefined || query.statusCode === statusCode) &&
    isInBounds(coldstartMs, query.minStartupTime, query.maxStartupTime) &&
    isInBounds(responseMs, query.minResponseTime, query.maxResponseTime)
  );
}

/** Single runs of a chart are counted by an offset; the token is the next one. */
function parseOffsetToken(token: string): number {
  return /^\d{1,15}$/.test(token) ? Number(token) : refuse(400, 'invalid nextToken');
}

/** Tokens name a run rather than an offset, so that new runs do not shift pages. */
function pageTokenAfter({ createdAt, id }: RunPosition): string {
  return Buffer.from(`${createdAt}/${id}`).toString('base64url');
}

function parsePageToken(token: string): RunPosition {
  const [, createdAt, id] = /^(\d+)\/(.+)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  return id ? { createdAt: Number(createdAt), id } : refuse(400, 'invalid nextToken');
}

/** A run of an unaggregated chart (spec 2.6). Unknown values are absent. */
function runChartItem(app: AppRecord, run: RunRecord, progress: RunProgress) {
  const { statusCode, coldstartMs, queueMs, runtimeMs, responseMs, changedAt } = progress;
  return {
    id: run.id,
    projectId: app.project,
    modelId: app.id,
    podName: run.container,
    coldstartTimeMs: coldstartMs,
    totalQueueTimeMs: queueMs,
    ...(runtimeMs !== undefined && { runtimeMs, totalResponseTimeMs: responseMs }),
    ...defined({ statusCode }),
    createdAt: formatTime(run.createdAt),
    updatedAt: formatTime(changedAt),
  };
}

/** A run in a list or by itself. Unknown times are empty. */
function runListItem(app: AppRecord, run: RunRecord, progress: RunProgress) {
  const { runtimeMs = 0, responseMs = 0, queueMs, startedAt, endedAt } = progress;
  return {
    ...runChartItem(app, run, progress),
    status: run.oneOff ? oneOffStatus(progress) : progress.status,
    async: run.async,
    functionName: run.functionName,
    // A run of a file is not a call.
    method: run.oneOff ? '' : run.method,
    websocket: run.websocket ?? false,
    region: app.settings.region,
    containerId: run.container,
    webhookEndpoint: run.webhookEndpoint ?? '',
    ...defined({ webhookDelivery: run.webhookDelivery }),
    containerStartedAt: timeOrEmpty(startedAt),
    completedAt: timeOrEmpty(endedAt),
    executionTimeMs: runtimeMs,
    queueTimeMs: queueMs,
    responseTimeMs: responseMs,
    runtimeMs,
    totalResponseTimeMs: responseMs,
    ...defined({ exitCode: run.exitCode }),
  };
}

/** A failed run of a file has another status than a failed call: the official client waits for it. */
function oneOffStatus(progress: RunProgress): RunStatus | EndedRunStatus {
  return runOutcome(progress) === 'failed' ? 'failed' : progress.status;
}

function timeOrEmpty(time: number | undefined): string {
  return time === undefined ? '' : formatTime(time);
}
