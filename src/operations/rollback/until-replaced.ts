import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type Container, isGone, listContainers } from '../../contract/containers.ts';
import type { AppReading } from '../../deploys/observe.ts';
import { PendingError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { Deadline, type PollOptions, pollUntil, throwUnlessTransient } from '../waiting/index.ts';

/** A list may be a copy that lacks a replica which has just started. */
const clearLooks = 2;
const pauses = { firstMs: 2_000, maxMs: 2_000, growth: 1 };

/**
 * Waits until no replica is left that is of a build of before, one that only ends its calls too. `seen`: before the build was
 * created. Throws PendingError if that takes longer.
 */
export async function untilReplaced(
  context: Context,
  { app, build, status }: { app: string; build: string; status: string },
  seen: AppReading,
  maxMs: number,
): Promise<void> {
  const { project, progress } = context;
  const fix = gantryCommand`apps containers ${app}`;
  const details = { app, build, status, replicas: [] as string[] };
  const before = new Set(seen.list.map(({ id }) => id));
  const message = `build ${shortBuild(build)} of ${app} serves, but replicas of before are left`;
  const why = () => details.replicas.slice(0, 3).join(', ') || 'their list was read once';
  const deadline = new Deadline(context, maxMs, () => new PendingError(message, { why: why(), fix, details }));
  const onFailure: PollOptions<readonly Container[]>['onFailure'] = (error, silentMs) =>
    void throwUnlessTransient(error, silentMs, { name: `the replicas of ${app} from before`, fix, details });
  const poll = async (api: Context['api']) => (await api(listContainers, { project, app })) ?? [];
  const step = progress.step(`Waiting until no replica of ${app} from before is left`);
  let clear = 0;
  try {
    await pollUntil(context, { poll, deadline, pauses, onFailure }, (listed) => {
      // Where the list names builds, a container without one is that of a job.
      const areNamed = listed.some(({ buildId }) => buildId);
      const isOld = ({ buildId, containerStartTimestamp }: Container) =>
        buildId ? before.has(buildId) : !areNamed && !(Date.parse(containerStartTimestamp ?? '') > seen.at);
      details.replicas = listed.filter((each) => isOld(each) && !isGone(each)).map(({ containerId }) => containerId);
      clear = details.replicas.length === 0 ? clear + 1 : 0;
      return clear === clearLooks || undefined;
    });
  } finally {
    step.clear();
  }
}
