import { defineCommand } from '../command.ts';
import { optionalAppArgument } from '../flags/app.ts';
import {
  type AppStatus,
  isOperational,
  type ProjectStatus,
  readAppStatus,
  readProjectStatus,
} from '../operations/status/index.ts';
import { boolean, document, integer, list, nullable, number, object, record, text } from '../result-schema.ts';
import { appStatusView, projectStatusView } from '../views/app-status.ts';

/** An incident or maintenance, as the status page shows it. */
const reportShape = object({
  title: text('title'),
  status: text('status'),
  startsAt: nullable(text('RFC 3339, UTC')),
  endsAt: nullable(text('RFC 3339, UTC')),
  affects: list(text('name'), 'names of the affected components'),
  lastUpdate: nullable(text('latest message')),
  updatedAt: nullable(text('RFC 3339, UTC')),
});

const sharedFields = {
  target: text('project and platform, as every command that changes something names them'),
  platform: nullable(
    object(
      {
        status: text('operational, degraded, downtime, maintenance, or another platform value'),
        announcement: nullable(text('announcement, or null')),
        components: list(
          object({ name: text('name'), section: nullable(text('section')), status: text('status') }),
          'services',
        ),
        incidents: list(reportShape, 'current incidents'),
        planned: list(reportShape, 'planned maintenance'),
      },
      'status page of the platform',
    ),
  ),
  unknown: record(text('reason'), 'parts that could not be read, by their names, and why'),
};

const appFields = {
  ...sharedFields,
  app: text('app name'),
  status: nullable(text('app status; null if it is not deployed')),
  live: nullable(
    object(
      {
        build: text('build id'),
        createdAt: nullable(text('RFC 3339, UTC')),
        found: nullable(text('what the history of this machine has found of it, such as healthy; null: nothing')),
      },
      'build that serves',
    ),
  ),
  here: nullable(
    object(
      {
        changed: boolean('whether a deploy would change anything'),
        settings: list(text('name'), 'settings that differ'),
        paths: nullable(list(text('path'), 'files that differ; null if they cannot be compared')),
        unverified: integer('files of equal name and size without a checksum to compare'),
      },
      'what differs in this folder; null for another app',
    ),
  ),
  replicas: nullable(
    object(
      {
        running: integer('running now'),
        min: nullable(integer('minimum')),
        max: nullable(integer('maximum')),
      },
      'replicas',
    ),
  ),
  lastHour: nullable(
    object({ calls: integer('calls'), errors: integer('failed, of the latest thousand') }, 'runs of the last hour'),
  ),
  costPerHourCents: nullable(number('US cents per hour of the replicas that run now')),
  failure: nullable(
    object(
      {
        build: nullable(text('build that failed')),
        run: nullable(text('run that failed')),
        title: text('cause in words'),
        fix: nullable(text('what to change')),
      },
      'last failure, as gantry explain has it',
    ),
  ),
};

const projectFields = {
  ...sharedFields,
  apps: nullable(
    list(
      object({
        app: text('app name'),
        status: nullable(text('app status')),
        hardware: nullable(text('compute type')),
        updatedAt: nullable(text('RFC 3339, UTC')),
      }),
      'without an app: the apps of the project',
    ),
  ),
};

export default defineCommand({
  configure: (command) =>
    optionalAppArgument(command, {
      description: 'app name or id (default: the app in this folder, else all apps)',
    }).option('--exit-code', 'exit 1 unless all services of the platform are operational'),
  run: (context, app, { configFile }): Promise<AppStatus | ProjectStatus> =>
    app === undefined ? readProjectStatus(context) : readAppStatus(context, app, configFile),
  view: (value) => ('apps' in value ? projectStatusView(value) : appStatusView(value)),
  exit: ({ platform, exit }, { exitCode }) =>
    exit === 'ok' && exitCode && !(platform && isOperational(platform)) ? 'failed' : exit,
  data: ({ exit: _, ...status }) => status,
  effect: 'reads',
  json: document(appFields, projectFields),
  details: [
    'Shows the live build of an app, what differs in this folder, its replicas, calls and errors of the last hour, what it costs now, the last failure and the platform. A part that cannot be read is "not known", with the reason.',
  ],
  examples: ['status', 'status web', 'status --exit-code && gantry deploy', 'status --json=live,here'],
});
