import type { AppRecord, RunRecord } from '../state/records.ts';
import { rfc3339 } from '../time.ts';
import type { RunReading } from './run-status.ts';

/** A run as the chart shows it (spec 2.6), and its status. What is not known yet is left out. */
export function chartItem(app: AppRecord, run: RunRecord, reading: RunReading) {
  const { status, statusCode, coldstartMs, queueMs, runtimeMs, responseMs, changedAt } = reading;
  return {
    ...{ id: run.id, projectId: app.project, modelId: app.id, podName: run.container, status },
    ...{ coldstartTimeMs: coldstartMs, totalQueueTimeMs: queueMs },
    ...(runtimeMs !== undefined && { runtimeMs, totalResponseTimeMs: responseMs }),
    ...(statusCode !== undefined && { statusCode }),
    ...{ createdAt: rfc3339(run.createdAt), updatedAt: rfc3339(changedAt) },
  };
}

/** A run in a list or by itself (wire §1b). An absent time is empty, as the platform writes it. */
export function listItem(app: AppRecord, run: RunRecord, reading: RunReading) {
  const { runtimeMs = 0, responseMs = 0, queueMs, startedAt, endedAt } = reading;
  return {
    ...chartItem(app, run, reading),
    ...{ async: run.async, functionName: run.functionName, method: run.method, websocket: false },
    ...{ region: app.settings.region, containerId: run.container, webhookEndpoint: run.webhookEndpoint ?? '' },
    ...{ containerStartedAt: timeOf(startedAt), completedAt: timeOf(endedAt) },
    ...{ executionTimeMs: runtimeMs, queueTimeMs: queueMs, responseTimeMs: responseMs },
    ...{ runtimeMs, totalResponseTimeMs: responseMs },
    ...(run.exitCode !== undefined && { exitCode: run.exitCode }),
  };
}

function timeOf(time: number | undefined): string {
  return time === undefined ? '' : rfc3339(time);
}
