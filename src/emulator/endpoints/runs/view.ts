import type { AwaitedEnd } from '../../../platform/contract/awaited-ends.ts';
import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import type { RunStatus } from '../../../platform/contract/runs.ts';
import type { RunProgress } from '../../model/runs/run-progress.ts';
import type { AppRecord, RunRecord } from '../../model/state/records.ts';
import { formatTime } from '../../model/time.ts';

/** A run of an unaggregated chart (spec 2.6). Unknown values are absent. */
export function runChartItem(app: AppRecord, run: RunRecord, progress: RunProgress) {
  const { statusCode, coldstartMs, queueMs, runtimeMs, responseMs, changedAt } = progress;
  return {
    id: run.id,
    projectId: app.project,
    modelId: app.id,
    podName: run.container,
    coldstartTimeMs: coldstartMs,
    totalQueueTimeMs: queueMs,
    ...(runtimeMs !== undefined && { runtimeMs, totalResponseTimeMs: responseMs }),
    ...(statusCode !== undefined && { statusCode }),
    createdAt: formatTime(run.createdAt),
    updatedAt: formatTime(changedAt),
  };
}

/** A run in a list or by itself. Unknown times are empty. */
export function runListItem(app: AppRecord, run: RunRecord, progress: RunProgress) {
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
    containerStartedAt: timeOrEmpty(startedAt),
    completedAt: timeOrEmpty(endedAt),
    executionTimeMs: runtimeMs,
    queueTimeMs: queueMs,
    responseTimeMs: responseMs,
    runtimeMs,
    totalResponseTimeMs: responseMs,
    ...(run.exitCode !== undefined && { exitCode: run.exitCode }),
  };
}

/** A failed run of a file has another status than a failed call: the official client waits for it. */
function oneOffStatus(progress: RunProgress): RunStatus | AwaitedEnd['oneOffRun'] {
  return runOutcome(progress) === 'failed' ? 'failed' : progress.status;
}

function timeOrEmpty(time: number | undefined): string {
  return time === undefined ? '' : formatTime(time);
}
