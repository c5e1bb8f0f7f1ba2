import { gantryCommand } from '../../kernel/command-line.ts';
import { PendingError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type Container, isDown, listContainers } from '../../platform/contract/containers.ts';
import { Deadline, pollUntil, throwUnlessTransient } from '../../platform/waiting/index.ts';
import type { AppReading } from '../observe.ts';
import { chooseServing, keptScaling, type RollbackOptions } from './choose-build.ts';
import { type RolledBack, redeploy, startRedeploy } from './redeploy.ts';
import { untilStopped, type Work } from './rollback.ts';

/** Deploys what serves once more, and waits until no replica of before is left. */
export async function restart(
  unlimited: Context,
  given: string,
  options: Omit<RollbackOptions, 'build' | 'restoreScaling' | 'sick'>,
): Promise<RolledBack> {
  const started = await startRedeploy(unlimited, given, 'restart', options.typedMs);
  const { limit, app, reading } = started;
  const without = gantryCommand`apps restart ${app} --from-git REV`;
  const choice = await chooseServing(limit.context, app, reading, () => without);
  const build = `build ${shortBuild(choice.target.id)} of ${app} again`;
  const to = { onto: reading, keep: keptScaling(reading, choice, {}) };
  const way = { ...options, ...choice, ...to, question: `Deploy ${build}?`, deed: `deploy ${build}` };
  const again: Work['again'] = (flags) => gantryCommand`apps restart ${app} ${flags}`;
  const work: Work = { app, title: 'restart', done: 'restarted', again };
  return untilStopped(unlimited, work, async () => {
    const done = await redeploy(started, way);
    work.made = done.build;
    await untilReplaced(unlimited, done, reading, limit.handOver());
    return done;
  });
}

/** Waits until no replica of before is left, also none that only ends its calls. Throws PendingError. */
async function untilReplaced(context: Context, { app, build }: RolledBack, reading: AppReading, maxMs: number) {
  const { project, progress } = context;
  const fix = gantryCommand`apps containers ${app}`;
  const before = new Set(reading.list.map(({ id }) => id));
  let left: string[] = [];
  const polling = {
    poll: (api: Context['api']) => api(listContainers, { project, app }),
    pauses: { firstMs: 2_000, maxMs: 2_000, growth: 1 },
    deadline: new Deadline(context, maxMs, () => {
      const message = `build ${shortBuild(build ?? '')} of ${app} serves, but replicas of earlier builds are left`;
      const why = left.slice(0, 3).join(', ');
      return new PendingError(message, { why, fix, details: { app, build, replicas: left } });
    }),
    onFailure: (error: unknown, silentMs: number) =>
      void throwUnlessTransient(error, silentMs, { name: `the replicas of ${app}`, fix, details: { app, build } }),
  };
  const step = progress.step(`Waiting until no replica of ${app} from before is left`);
  await pollUntil(context, polling, (listed) => {
    // A container without a build is that of a job.
    const isOld = (each: Container) => before.has(each.buildId ?? '') && !isDown(each);
    left = listed.filter(isOld).map(({ containerId }) => containerId);
    return left.length === 0 || undefined;
  }).finally(step.clear);
}
