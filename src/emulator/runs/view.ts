import type { AppRecord, RunRecord } from '../state/records.ts';
import { formatTime } from '../time.ts';
import type { RunProgress } from './run-progress.ts';

/** A run as the chart shows it (spec 2.6), and its status. What is not known yet is left out. */
export function runChartItem(app: AppRecord, run: RunRecord, reading: RunProgress) {
  const { status, statusCode, coldstartMs, queueMs, runtimeMs, responseMs, changedAt } = reading;
  return {
    ...{ id: run.id, projectId: app.project, modelId: app.id, podName: run.container, status },
    ...{ coldstartTimeMs: coldstartMs, totalQueueTimeMs: queueMs },
    ...(runtimeMs !== undefined && { runtimeMs, totalResponseTimeMs: responseMs }),
    ...(statusCode !== undefined && { statusCode }),
    ...{ createdAt: formatTime(run.createdAt), updatedAt: formatTime(changedAt) },
  };
}

/** A run in a list or by itself. An absent time is empty, as the platform writes it. */
export function runListItem(app: AppRecord, run: RunRecord, reading: RunProgress) {
  const { runtimeMs = 0, responseMs = 0, queueMs, startedAt, endedAt } = reading;
  return {
    ...runChartItem(app, run, reading),
    ...{ async: run.async, functionName: run.functionName, method: run.method, websocket: false },
    ...{ region: app.settings.region, containerId: run.container, webhookEndpoint: run.webhookEndpoint ?? '' },
    ...{ containerStartedAt: timeOf(startedAt), completedAt: timeOf(endedAt) },
    ...{ executionTimeMs: runtimeMs, queueTimeMs: queueMs, responseTimeMs: responseMs },
    ...{ runtimeMs, totalResponseTimeMs: responseMs },
    ...(run.exitCode !== undefined && { exitCode: run.exitCode }),
  };
}

function timeOf(time: number | undefined): string {
  return time === undefined ? '' : formatTime(time);
}
