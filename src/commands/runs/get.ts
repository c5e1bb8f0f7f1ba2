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
    status: 'status as the platform tells it, otherwise what the status code means',
    statusCode: 'HTTP status; 0 was cancelled, -1 was closed by the caller',
    functionName: 'function',
    method: 'HTTP method',
    async: 'whether its caller waited for no answer',
    websocket: 'whether it was a WebSocket',
    webhookEndpoint: 'where its answer was forwarded to',
    createdAt: 'RFC 3339, UTC',
    updatedAt: 'RFC 3339, UTC',
    containerStartedAt: 'when its container had it: RFC 3339, UTC',
    completedAt: 'when it ended: RFC 3339, UTC',
    coldstartTimeMs: 'how long a replica took to start for it, in milliseconds',
    totalQueueTimeMs: 'how long it waited, in milliseconds',
    runtimeMs: 'how long it was worked on, in milliseconds',
    totalResponseTimeMs: 'how long its caller waited, in milliseconds',
    containerId: 'the container that served it',
    region: 'region',
    modelId: 'app id',
    projectId: 'project',
  },
  examples: ['runs get web 3f2a91c0-…', 'runs get web 3f2a91c0-… --json=status,statusCode'],
});
