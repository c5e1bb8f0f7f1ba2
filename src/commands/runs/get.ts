import { defineCommand } from '../../command.ts';
import { fetchRun, fillStatus } from '../../operations/runs/index.ts';
import { runView } from '../../views/run.ts';

export default defineCommand({
  configure: (command) => command.argument('<app>', 'app name or id').argument('<run>', 'run id'),
  run: ({ api, project }, app, run) => fetchRun(api, { project, app, run }),
  view: runView,
  data: fillStatus,
  passesThrough: true,
  json: {
    id: 'run id',
    status: 'platform status, otherwise derived from the status code',
    statusCode: 'HTTP status; 0: canceled, -1: closed by the caller',
    functionName: 'function',
    method: 'HTTP method',
    async: 'whether the call was asynchronous',
    websocket: 'whether the call was a WebSocket',
    webhookEndpoint: 'URL that the result is sent to',
    createdAt: 'RFC 3339, UTC',
    updatedAt: 'RFC 3339, UTC',
    containerStartedAt: 'when a container received it: RFC 3339, UTC',
    completedAt: 'when it ended: RFC 3339, UTC',
    coldstartTimeMs: 'cold start, in ms',
    totalQueueTimeMs: 'time in the queue, in ms',
    runtimeMs: 'run time, in ms',
    totalResponseTimeMs: 'total response time, in ms',
    containerId: 'container',
    region: 'region',
    modelId: 'app id',
    projectId: 'project',
  },
  examples: ['runs get web 3f2a91c0-…', 'runs get web 3f2a91c0-… --json=status,statusCode'],
});
