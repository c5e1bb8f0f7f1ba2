import { defineCommand } from '../command.ts';
import { isOperational, readServiceStatus } from '../operations/status/index.ts';
import { serviceStatusView } from '../views/service-status.ts';

export default defineCommand({
  configure: (command) => command.option('--check', 'exit 1 unless everything works'),
  run: readServiceStatus,
  view: serviceStatusView,
  exit: (status, { check }) => (check && !isOperational(status) ? 'failed' : 'ok'),
  json: {
    status: 'operational, degraded, downtime, maintenance or as the page says it',
    announcement: 'what the page announces, or null',
    components: 'name, section, status of each service',
    incidents: 'what goes on: title, status, startsAt, endsAt, affects, lastUpdate, updatedAt',
    planned: 'announced maintenance, in the same form',
  },
  examples: ['status', 'status --check && gantry deploy', 'status --json=status'],
});
