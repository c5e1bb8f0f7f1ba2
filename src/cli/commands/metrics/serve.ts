import { serveMetrics } from '../../../insight/monitor/index.ts';
import { defineCommand } from '../../command.ts';
import { appsArgument } from '../../flags/app.ts';
import { durationFlag, wholeNumberFlag } from '../../flags/values.ts';
import { stream, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    appsArgument(command)
      .option('--port <number>', 'port to listen on (default: 9464, or a free port)', wholeNumberFlag(0, 65_535))
      .option('--for <duration>', 'end after this time (default: Ctrl-C)', durationFlag)
      .option('--host <host>', 'address to listen on', '127.0.0.1'),
  run: (context, app, { port, host, for: forMs }) => serveMetrics(context, { app, forMs, port, host }),
  view: ({ url }) => url,
  effect: 'reads',
  unattended: false,
  json: stream({ url: text('URL that Prometheus reads') }),
  details: ['The same as gantry metrics --live, in the OpenMetrics format, until Ctrl-C. Counters survive restarts.'],
  examples: ['metrics serve', 'metrics serve --all-apps --port 9500'],
});
