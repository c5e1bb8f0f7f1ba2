import { integer, number, text } from '../result-schema.ts';

/** What the platform sends of a run, in a list and alone. */
export const runFields = {
  id: text('run id'),
  status: text('platform status, otherwise derived from the status code'),
  outcome: text('succeeded, failed, canceled or closed; before that, in progress or what it waits for'),
  kind: text('call of the app, or job: a file that gantry run has run'),
  statusCode: integer('HTTP status; 0: canceled, -1: closed by the caller'),
  functionName: text('function, if known'),
  createdAt: text('RFC 3339, UTC'),
  updatedAt: text('RFC 3339, UTC'),
  coldstartTimeMs: number('cold start, in ms'),
  totalQueueTimeMs: number('time in the queue, in ms'),
  runtimeMs: number('run time, in ms'),
  totalResponseTimeMs: number('total response time, in ms'),
  modelId: text('app id'),
  projectId: text('project'),
};
