import { leastIntervalMs, runTop } from '../../insight/monitor/index.ts';
import { defineCommand } from '../command.ts';
import { appsArgument, checkApps } from '../flags/app.ts';
import { durationFlag } from '../flags/values.ts';
import { integer, list, nullable, object, stream, text } from '../result-schema.ts';
import { appFigures } from '../views/app-figures.ts';
import { topView } from '../views/top.ts';

export default defineCommand({
  configure: (command) =>
    appsArgument(command)
      .option('--every <duration>', 'how often (default: 5s, which is also the least)', durationFlag)
      .option('--for <duration>', 'end after this time (default: Ctrl-C or q)', durationFlag),
  run: (context, app, { allApps, every, for: forMs }) => {
    checkApps(app, { allApps });
    return runTop(context, { app, everyMs: every ?? leastIntervalMs, forMs });
  },
  view: topView,
  data: ({ at, project, apps, failures, problem }) => ({ at, project, apps, failures, problem }),
  live: true,
  effect: 'reads',
  unattended: false,
  json: stream({
    at: text('RFC 3339, UTC'),
    project: text('project'),
    apps: list(appFigures, 'apps, the busiest first'),
    failures: list(
      object({
        app: text('app'),
        at: text('RFC 3339, UTC: the last of them'),
        statusCode: nullable(integer('HTTP status; null if not known')),
        calls: integer('number of calls'),
        run: text('the last of them'),
        message: nullable(text('what the app printed; null if not known')),
      }),
      'calls that failed with the same status, the last first',
    ),
    problem: nullable(text('why some of it is old; null if nothing is')),
  }),
  details: [
    'Figures are of the last minute. Every app is asked for one thing every five seconds, so that a whole picture takes some of these. Off a terminal, a line is printed for each app every time.',
    'Keys: j and k select an app, l shows its log, c compares its build with the one before, q quits.',
  ],
  examples: ['top', 'top web --every 30s', 'top --all-apps --for 1m --json'],
});
