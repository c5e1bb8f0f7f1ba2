import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { ConflictError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { type DeployedState, lookAtDeployed, lookBriefly } from '../deploy/index.ts';
import { waitForChange } from '../waiting/index.ts';

/** What was deployed since the build to return to was chosen is not replaced. */
export class DeployedMeanwhileError extends ConflictError {
  constructor(
    message: string,
    app: string,
    readonly serves: string | null,
  ) {
    super(`${message}: nothing rolled back`, { fix: gantryCommand`builds list ${app}`, details: { app, serves } });
  }
}

/**
 * `seen`: when the build was chosen. What was ready then is none of others; the app may be late to show what is. Of two
 * rollbacks at the same moment, the one whose build was created later yields. So the earlier one waits for later builds
 * that have no upload yet, and goes on without one that stays so: nothing of it could be replaced.
 */
export async function checkUnchanged(
  context: Context,
  name: string,
  seen: DeployedState,
  { created, own }: { created: string; own: readonly string[] },
): Promise<void> {
  const countLater = async () => {
    const now = await lookAtDeployed(context, name);
    const serves = readySince(seen, now, [created, ...own]);
    if (serves !== undefined) {
      const what = serves === now.serves ? 'serves now' : 'became ready meanwhile';
      throw new DeployedMeanwhileError(`build ${shortBuild(serves)} ${what}`, name, now.serves ?? null);
    }
    const others = now.builds.filter((id) => id !== created && !own.includes(id) && !seen.listed.includes(id));
    const first = others.find((id) => !now.isBehind(id, created));
    if (first === undefined) return others.length;
    const what = `build ${shortBuild(first)} was created meanwhile and is in progress`;
    throw new DeployedMeanwhileError(what, name, now.serves ?? null);
  };
  await waitForChange(countLater, (later) => later === 0, context.delay);
}

/**
 * Looks what the new build has replaced, and what will replace it: other builds may have ended while it was made. Best
 * effort. Returns the build that it has replaced, if that is another one than was seen.
 */
export async function tellOthers(
  context: Context,
  name: string,
  seen: DeployedState,
  { build, serves = build }: { build: string; serves?: string | undefined },
): Promise<string | undefined> {
  const now = await lookBriefly(context, name);
  if (!now) return undefined;
  for (const id of now.builds) {
    context.progress.warn(`build ${shortBuild(id)} of ${name} is in progress, and replaces it once it is ready`);
  }
  const replaced = readySince(seen, now, [build, serves]);
  if (replaced === undefined) return undefined;
  context.progress.warn({
    severity: 'warning',
    message: `build ${shortBuild(replaced)} went live meanwhile, and was replaced`,
    why: 'it was not ready when this rollback looked for other builds',
    fix: gantryCommand`rollback ${name} ${replaced}`,
  });
  return replaced;
}

/** The build of others that became ready between two looks: the one that serves, if the platform shows that. */
function readySince(seen: DeployedState, now: DeployedState, own: readonly string[]): string | undefined {
  const isNew = (id: string) => !own.includes(id) && !seen.ready.includes(id) && !isOld(seen, id);
  return [now.serves ?? '', ...now.ready].find((id) => id !== '' && isNew(id));
}

/** Without a list of the builds that were ready: what served. */
function isOld({ listed, builds, serves }: DeployedState, id: string): boolean {
  return id === serves || (listed.includes(id) && !builds.includes(id));
}
