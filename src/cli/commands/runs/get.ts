import { fetchShownRun, fillStatus, resolveRun, runHasFailed } from '../../../calls/runs/index.ts';
import { gantryCommand } from '../../../kernel/command-line.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { boolean, document, integer, number, passThrough, text } from '../../result-schema.ts';
import { runView } from '../../views/run.ts';

export default defineCommand({
  configure: (command) => appArgument(command).argument('[run]', 'run id (default: latest)'),
  run: async (context, app, run) => fetchShownRun(context, app, await resolveRun(context, app, run)),
  view: runView,
  data: fillStatus,
  next: (run, _, [app]) =>
    runHasFailed(run) ? [{ line: gantryCommand`explain ${String(app)} ${run.id}`, when: 'to see why it failed' }] : [],
  effect: 'reads',
  json: document(
    passThrough({
      id: text('run id'),
      status: text('platform status, otherwise derived from the status code'),
      statusCode: integer('HTTP status; 0: canceled, -1: closed by the caller'),
      functionName: text('function'),
      method: text('HTTP method'),
      async: boolean('whether the call was asynchronous'),
      websocket: boolean('whether the call was a WebSocket'),
      webhookEndpoint: text('URL that the result is sent to'),
      createdAt: text('RFC 3339, UTC'),
      updatedAt: text('RFC 3339, UTC'),
      containerStartedAt: text('when a container received it: RFC 3339, UTC'),
      completedAt: text('when it ended: RFC 3339, UTC'),
      coldstartTimeMs: number('cold start, in ms'),
      totalQueueTimeMs: number('time in the queue, in ms'),
      runtimeMs: number('run time, in ms'),
      totalResponseTimeMs: number('total response time, in ms'),
      containerId: text('container'),
      region: text('region'),
      modelId: text('app id'),
      projectId: text('project'),
    }),
  ),
  examples: ['runs get web 3f2a91c0-…', 'runs get web 3f2a91c0-… --json=status,statusCode'],
});
