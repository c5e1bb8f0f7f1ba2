import { defineCommand } from '../command.ts';
import { isOperational, readServiceStatus } from '../operations/status/index.ts';
import { document, list, nullable, object, text } from '../result-schema.ts';
import { serviceStatusView } from '../views/service-status.ts';

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

export default defineCommand({
  configure: (command) => command.option('--exit-code', 'exit 1 unless all services are operational'),
  run: readServiceStatus,
  view: serviceStatusView,
  exit: (status, { exitCode }) => (exitCode && !isOperational(status) ? 'failed' : 'ok'),
  effect: 'reads',
  json: document({
    status: text('operational, degraded, downtime, maintenance, or another platform value'),
    announcement: nullable(text('announcement, or null')),
    components: list(
      object({ name: text('name'), section: nullable(text('section')), status: text('status') }),
      'name, section, status of each service',
    ),
    incidents: list(reportShape, 'current incidents: title, status, startsAt, endsAt, affects, lastUpdate, updatedAt'),
    planned: list(reportShape, 'planned maintenance, with the same fields'),
  }),
  examples: ['status', 'status --exit-code && gantry deploy', 'status --json=status'],
});
