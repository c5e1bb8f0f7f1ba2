import { defineCommand } from '../../command.ts';
import { type Container, listContainers } from '../../contract/containers.ts';
import { applyLimit, listFlags } from '../../flags/list.ts';
import { duration } from '../../output/format.ts';
import type { Cell } from '../../output/table.ts';
import { table } from '../../output/table.ts';

export default defineCommand({
  configure: (command) => listFlags(command.argument('<app>', 'app name or id')),
  run: async ({ api, project, progress }, app, flags) =>
    applyLimit((await api(listContainers, { project, app })) ?? [], flags, progress, 'container'),
  view: (containers) =>
    table(
      containers,
      {
        CONTAINER: (container) => container.containerId,
        STATE: state,
        RESTARTS: (container) => container.containerRestartCount,
        REGION: (container) => container.region,
        BUILD: (container) => container.buildId,
        UP: upTime,
      },
      ['CONTAINER', 'UP'],
    ),
  empty: 'no containers: the app is asleep, the next request starts one',
  passesThrough: true,
  json: {
    containerId: 'full name of the container',
    containerState: 'state, as the platform says it',
    isTerminating: 'whether it is being stopped',
    containerRestartCount: 'how often it was restarted',
    containerRunningTimeMs: 'how long it has run, in milliseconds',
    containerStartTimestamp: 'RFC 3339, UTC',
    containerTerminationTimestamp: 'RFC 3339, UTC',
    timestamp: 'when its state was read: RFC 3339, UTC',
    buildId: 'build it was made of',
    region: 'region',
    hardwareProvider: 'cloud provider',
    hostIp: 'address of the machine',
    containerIp: 'its own address',
    appId: 'app id',
    projectId: 'project',
  },
  examples: ['containers list web', 'containers list web --json=containerId,containerState'],
});

function state({ isTerminating, containerState }: Container): string | null | undefined {
  return isTerminating ? 'TERMINATING' : containerState;
}

/** How long it has run, told by the platform or since its start; nothing for one that has not started. */
function upTime(container: Container): Cell {
  const { containerRunningTimeMs, containerStartTimestamp, containerTerminationTimestamp } = container;
  if (containerRunningTimeMs) return duration(containerRunningTimeMs);
  if (!containerStartTimestamp) return undefined;
  const until = containerTerminationTimestamp ? Date.parse(containerTerminationTimestamp) : undefined;
  return ({ now }) => duration(Math.max(0, (until ?? now) - Date.parse(containerStartTimestamp)));
}
