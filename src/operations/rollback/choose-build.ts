import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type App, liveBuild } from '../../contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../../contract/builds.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import { latestFirst } from '../../output/format.ts';
import { fetchBuild, resolveBuild } from '../builds/index.ts';
import { readHistory, recordLook } from '../history/index.ts';
import { fetchApp } from '../replies/index.ts';

export interface RollbackChoice {
  app: App;
  /** The build that serves; undefined if none does. */
  live: string | undefined;
  /** The build to return to. */
  target: Build;
}

/** The build to return to: the given one, or the last one that succeeded before the live one. */
export async function chooseBuild(context: Context, name: string, requested?: string): Promise<RollbackChoice> {
  const { api, project } = context;
  const app = await fetchApp(api, { project, app: name });
  const live = liveBuild(app);
  await recordLook(context, name, app);
  const target =
    requested === undefined
      ? await findBuildBefore(context, name, live)
      : await fetchBuild(api, { project, app: name, build: await resolveBuild(context, name, requested) });
  if (!target) throw await nothingBefore(context, name, live);
  if (buildPhase(target.status) !== 'succeeded') {
    throw new ConflictError(`build ${target.id} of ${name} did not succeed: its status is ${target.status}`, {
      fix: gantryCommand`builds list ${name}`,
    });
  }
  return { app, live, target };
}

/**
 * The build that served before this one and was not found sick: from the history of the app, else `before`. Without
 * either, the last of those created earlier that succeeded: builds may have become ready in another order.
 */
export async function findBuildBefore(
  context: Context,
  app: string,
  build: string | undefined,
  before?: string | null,
): Promise<Build | undefined> {
  const [builds, history] = await Promise.all([listNewestFirst(context, app), readHistory(context, app)]);
  const known = new Map(builds.map((each) => [each.id, each]));
  const served = build === undefined ? history.servedBuilds() : history.servedBefore(build);
  const older = builds.slice(builds.findIndex(({ id }) => id === build) + 1);
  const candidates = [...served, ...(before ? [before] : [])].flatMap((id) => known.get(id) ?? []);
  // Of the same files: a rollback to it would change nothing.
  const same = build === undefined ? undefined : history.sent(build)?.restored;
  return [...candidates, ...older].find(
    ({ id, status }) => id !== build && id !== same && buildPhase(status) === 'succeeded' && !history.isSick(id),
  );
}

/** Builds that were created after this one. */
export async function findLaterBuilds(context: Context, app: string, build: string): Promise<Build[]> {
  const builds = await listNewestFirst(context, app);
  return builds.slice(
    0,
    Math.max(
      0,
      builds.findIndex(({ id }) => id === build),
    ),
  );
}

async function listNewestFirst({ api, project }: Context, app: string): Promise<Build[]> {
  return (await api(listBuilds, { project, app })).sort(latestFirst(({ createdAt }) => createdAt));
}

async function nothingBefore(context: Context, app: string, live: string | undefined): Promise<NotFoundError> {
  const history = await readHistory(context, app);
  const sick = history.servedBuilds().filter((build) => build !== live && history.isSick(build));
  return new NotFoundError(`${app} has no successful build${live ? ` before ${live}` : ''} to return to`, {
    ...(sick.length > 0 && { why: `rolled back or found sick: ${sick.slice(0, maxShown).join(', ')}` }),
    fix: gantryCommand`builds list ${app}`,
    details: { app, build: live ?? null, sick },
  });
}

const maxShown = 3;
