import { defineCommand } from '../../command.ts';
import { type Container, listContainers } from '../../contract/containers.ts';
import { applyLimit, listFlags } from '../../flags/list.ts';
import { duration } from '../../output/format.ts';
import { type Cell, table } from '../../output/table.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => listFlags(command.argument('<app>', 'app name or id')),
  run: async ({ api, project, progress }, app, flags) =>
    applyLimit((await api(listContainers, { project, app })) ?? [], flags, progress, 'container'),
  view: (containers) =>
    table(
      containers,
      {
        CONTAINER: (container) => container.containerId,
        STATE: (container) => statusCell(stateOf(container)),
        RESTARTS: (container) => container.containerRestartCount,
        REGION: (container) => container.region,
        BUILD: (container) => container.buildId,
        UP: uptime,
      },
      { keep: ['CONTAINER', 'STATE', 'UP'], right: ['RESTARTS', 'UP'] },
    ),
  empty: 'no containers: the app is asleep, and the next request starts one',
  passesThrough: true,
  json: {
    containerId: 'full name of the container',
    containerState: 'state; platform value, passed through',
    isTerminating: 'whether it is terminating',
    containerRestartCount: 'number of restarts',
    containerRunningTimeMs: 'uptime, in ms',
    containerStartTimestamp: 'RFC 3339, UTC',
    containerTerminationTimestamp: 'RFC 3339, UTC',
    timestamp: 'when the state was read: RFC 3339, UTC',
    buildId: 'build it runs',
    region: 'region',
    hardwareProvider: 'cloud provider',
    hostIp: 'IP address of the host',
    containerIp: 'IP address',
    appId: 'app id',
    projectId: 'project',
  },
  examples: ['containers list web', 'containers list web --json=containerId,containerState'],
});

function stateOf({ isTerminating, containerState }: Container): string | null | undefined {
  return isTerminating ? 'TERMINATING' : containerState;
}

/** The platform's uptime, otherwise the time since the start; undefined if the container has not started. */
function uptime(container: Container): Cell {
  const { containerRunningTimeMs, containerStartTimestamp, containerTerminationTimestamp } = container;
  if (containerRunningTimeMs) return duration(containerRunningTimeMs);
  if (!containerStartTimestamp) return undefined;
  const until = containerTerminationTimestamp ? Date.parse(containerTerminationTimestamp) : undefined;
  return ({ now }) => duration(Math.max(0, (until ?? now) - Date.parse(containerStartTimestamp)));
}
