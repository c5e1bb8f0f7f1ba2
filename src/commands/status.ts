import { defineCommand } from '../command.ts';
import { isOperational, readServiceStatus } from '../operations/status/index.ts';
import { serviceStatusView } from '../views/service-status.ts';

export default defineCommand({
  configure: (command) => command.option('--check', 'exit 1 unless all services are operational'),
  run: readServiceStatus,
  view: serviceStatusView,
  exit: (status, { check }) => (check && !isOperational(status) ? 'failed' : 'ok'),
  json: {
    status: 'operational, degraded, downtime, maintenance, or another platform value',
    announcement: 'announcement, or null',
    components: 'name, section, status of each service',
    incidents: 'current incidents: title, status, startsAt, endsAt, affects, lastUpdate, updatedAt',
    planned: 'planned maintenance, with the same fields',
  },
  examples: ['status', 'status --check && gantry deploy', 'status --json=status'],
});
