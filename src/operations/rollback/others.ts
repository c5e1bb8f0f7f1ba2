import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type Build, buildPhase } from '../../contract/builds.ts';
import { type AppReading, observe } from '../../deploys/observe.ts';
import { mayReplace, servingBuild } from '../../deploys/serving.ts';
import { ConflictError, GantryError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { goesBefore, isBusy, isExpired, isPending, StuckBuilds } from '../deploy/index.ts';
import { cleanupSignal, contextUntil, waitForChange } from '../waiting/index.ts';

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

/** Builds that may become ready. */
export function inProgress({ list, at }: AppReading): Build[] {
  return list.filter((build) => isBusy(build) && !isExpired(build, at));
}

/** A sick build is rolled back if it serves, and if nothing that was created later is about to. */
export async function checkServes(context: Context, app: string, seen: AppReading, sick: string): Promise<void> {
  const serves = servingBuild(seen.serving);
  if (serves !== undefined && serves !== sick) throw new DeployedMeanwhileError(app, serves, 'serves now', seen);
  const since = seen.list.filter(({ id }) => id !== sick && mayReplace(seen, id, sick));
  const [later] = await new StuckBuilds(context, app).without(since);
  if (later) throw new DeployedMeanwhileError(app, later.id, wasCreated, seen);
}

/**
 * Right before the upload. `seen`: when the build to return to was chosen. Of two rollbacks at the same moment, the one whose
 * build was created later yields. So the earlier one waits for later builds that have no upload yet, and goes on without one
 * that stays so: nothing of it could be replaced. `hasLost`: an earlier one without an upload may be its own.
 */
export async function checkUnchanged(
  context: Context,
  app: string,
  seen: AppReading,
  { created, own, hasLost }: { created: string; own: readonly string[]; hasLost: boolean },
): Promise<void> {
  const listLater = async () => {
    const now = await observe(context, app);
    const ready = readySince(seen, now, [created, ...own]);
    if (ready !== undefined) {
      const what = ready === servingBuild(now.serving) ? 'serves now' : 'became ready meanwhile';
      throw new DeployedMeanwhileError(app, ready, what, now);
    }
    const known = new Set([created, ...own, ...seen.list.map(({ id }) => id)]);
    const others = inProgress(now).filter(({ id, status }) => !known.has(id) && !(hasLost && isPending(status)));
    const ours = now.list.find(({ id }) => id === created);
    const first = others.find((other) => !ours || !isPending(other.status) || goesBefore(other, ours));
    if (first) throw new DeployedMeanwhileError(app, first.id, wasCreated, now);
    return others;
  };
  await waitForChange(listLater, (later) => later.length === 0, context.delay);
}

/** Tells what a new build has replaced that went live while it was made, which is returned, and what will replace it. */
export async function tellOthers(
  context: Context,
  app: string,
  seen: AppReading,
  own: readonly string[],
): Promise<string | undefined> {
  const now = await briefly(context, (bounded) => observe(bounded, app));
  if (!now) return undefined;
  for (const { id } of inProgress(now)) {
    context.progress.warn(`build ${shortBuild(id)} of ${app} is in progress, and replaces it once it is ready`);
  }
  const replaced = readySince(seen, now, own);
  if (replaced === undefined) return undefined;
  context.progress.warn({
    severity: 'warning',
    message: `build ${shortBuild(replaced)} went live meanwhile, and was replaced`,
    why: 'it was not ready when this rollback looked for other builds',
    fix: gantryCommand`rollback ${app} ${replaced}`,
  });
  return replaced;
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
