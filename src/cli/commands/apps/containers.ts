import { durationCell, forPeople, numberCell, shortBuild } from '../../../kernel/output/format.ts';
import { type Cell, table } from '../../../kernel/output/table.ts';
import { Container, isRunning, listContainers } from '../../../platform/contract/containers.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { documents, passThrough, sentFields } from '../../result-schema.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => appArgument(command),
  run: async ({ api, project }, app) =>
    (await api(listContainers, { project, app })).sort((a, b) => Number(isRunning(b)) - Number(isRunning(a))),
  view: (containers) =>
    table(containers, ['CONTAINER', 'STATE', 'UP'], {
      CONTAINER: (container) => container.containerId,
      STATE: ({ isTerminating, containerState }) => statusCell(isTerminating ? 'TERMINATING' : containerState),
      RESTARTS: (container) => container.containerRestartCount,
      REGION: (container) => container.region,
      BUILD: ({ buildId }) => forPeople(shortBuild(buildId ?? ''), buildId),
      UP: uptime,
    }),
  details: [
    'A container that has just ended may be listed as RUNNING for some seconds. One without a build is that of a job.',
  ],
  empty: 'no containers are listed; an app may have none until it is called',
  effect: 'reads',
  json: documents(passThrough(sentFields(Container))),
  examples: ['apps containers web', 'apps containers web --json=containerId,containerState'],
});

/** The platform's uptime, otherwise the time since the start; undefined if the container has not started. */
function uptime(container: Container): Cell {
  const { containerRunningTimeMs, containerStartTimestamp, containerTerminationTimestamp } = container;
  if (containerRunningTimeMs) return durationCell(containerRunningTimeMs);
  if (!containerStartTimestamp) return undefined;
  const until = containerTerminationTimestamp ? Date.parse(containerTerminationTimestamp) : undefined;
  const age = (now: number) => Math.max(0, (until ?? now) - Date.parse(containerStartTimestamp));
  return numberCell((page) => durationCell(age(page.now))(page));
}
