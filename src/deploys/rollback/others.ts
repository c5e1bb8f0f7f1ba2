import { gantryCommand } from '../../kernel/command-line.ts';
import { ConflictError, GantryError, PendingError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { buildPhase } from '../../platform/contract/builds.ts';
import { type Container, isDown, listContainers } from '../../platform/contract/containers.ts';
import {
  cleanupSignal,
  contextUntil,
  Deadline,
  pollUntil,
  throwUnlessTransient,
} from '../../platform/waiting/index.ts';
import type { AppReading } from '../observe.ts';
import { isBusy, isPending, lookBeforeUpload, StuckBuilds } from '../send/index.ts';
import { mayReplace, servingBuild } from '../serving.ts';

/** What somebody else has deployed meanwhile is not replaced. */
export class DeployedMeanwhileError extends ConflictError {
  constructor(app: string, build: string, what: string, { serving }: AppReading) {
    const details = { app, serves: servingBuild(serving) ?? null };
    super(`build ${shortBuild(build)} ${what}: it is not replaced`, {
      fix: gantryCommand`builds list ${app}`,
      details,
    });
  }
}

const wasCreated = 'was created meanwhile and is in progress';

/** A sick build is rolled back if it serves, and if nothing that was created later is about to. */
export async function checkServes(context: Context, app: string, seen: AppReading, sick: string): Promise<void> {
  const serves = servingBuild(seen.serving);
  if (serves !== undefined && serves !== sick) throw new DeployedMeanwhileError(app, serves, 'serves now', seen);
  const since = seen.list.filter(({ id }) => id !== sick && mayReplace(seen, id, sick));
  const [later] = await new StuckBuilds(context, app).without(since);
  if (later) throw new DeployedMeanwhileError(app, later.id, wasCreated, seen);
}

/**
 * Right before the upload. `seen`: when the build to return to was chosen. `hasLost`: a build without an upload may be its
 * own.
 */
export async function checkUnchanged(
  context: Context,
  app: string,
  seen: AppReading,
  { created, own, hasLost }: { created: string; own: readonly string[]; hasLost: boolean },
): Promise<void> {
  const known = [...own, ...seen.list.map(({ id }) => id)];
  const { now, first } = await lookBeforeUpload(context, app, known, created);
  const ready = readySince(seen, now, [created, ...own]);
  if (ready !== undefined) {
    const what = ready === servingBuild(now.serving) ? 'serves now' : 'became ready meanwhile';
    throw new DeployedMeanwhileError(app, ready, what, now);
  }
  const other = first.find(({ status }) => !(hasLost && isPending(status)));
  if (other) throw new DeployedMeanwhileError(app, other.id, wasCreated, now);
}

/** Looks within seconds, also after Ctrl-C. Undefined if that fails. */
export async function briefly<T>(context: Context, look: (bounded: Context) => Promise<T>): Promise<T | undefined> {
  try {
    return await look(contextUntil(context, cleanupSignal()));
  } catch (error) {
    if (error instanceof GantryError) return undefined;
    throw error;
  }
}

/** The build of others that became ready between two looks: the one that serves, if the platform shows that. */
function readySince(seen: AppReading, now: AppReading, own: readonly string[]): string | undefined {
  const old = new Set([servingBuild(seen.serving), ...own]);
  for (const build of seen.list) if (!isBusy(build)) old.add(build.id);
  const ready = now.list.filter(({ status }) => buildPhase(status) === 'succeeded').map(({ id }) => id);
  return [servingBuild(now.serving), ...ready].find((id) => id !== undefined && !old.has(id));
}

/**
 * Waits until no replica of a build of before is left, also none that only ends its calls. `seen`: before the build was
 * created. Throws PendingError if that takes longer.
 */
export async function untilReplaced(context: Context, app: string, build: string, seen: AppReading, maxMs: number) {
  const { project, progress } = context;
  const fix = gantryCommand`apps containers ${app}`;
  const before = new Set(seen.list.map(({ id }) => id));
  let left: string[] = [];
  let clear = 0;
  const polling = {
    poll: async (api: Context['api']) => (await api(listContainers, { project, app })) ?? [],
    pauses: { firstMs: 2_000, maxMs: 2_000, growth: 1 },
    deadline: new Deadline(context, maxMs, () => {
      const message = `build ${shortBuild(build)} of ${app} serves, but replicas of before are left`;
      const why = left.slice(0, 3).join(', ');
      return new PendingError(message, { why, fix, details: { app, build, replicas: left } });
    }),
    onFailure: (error: unknown, silentMs: number) =>
      void throwUnlessTransient(error, silentMs, { name: `the replicas of ${app}`, fix, details: { app, build } }),
  };
  const step = progress.step(`Waiting until no replica of ${app} from before is left`);
  await pollUntil(context, polling, (listed) => {
    // Where the list names builds, a container without one is that of a job.
    const areNamed = listed.some(({ buildId }) => buildId);
    const isOld = ({ buildId, containerStartTimestamp: start }: Container) =>
      buildId ? before.has(buildId) : !areNamed && !(Date.parse(start ?? '') > seen.at);
    left = listed.filter((each) => isOld(each) && !isDown(each)).map(({ containerId }) => containerId);
    clear = left.length === 0 ? clear + 1 : 0;
    // A list may be a copy that lacks a replica which has just started.
    return clear === 2 || undefined;
  }).finally(step.clear);
}
