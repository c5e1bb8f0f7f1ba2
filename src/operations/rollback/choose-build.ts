import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type App, getApp } from '../../contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../../contract/builds.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import { latestFirst } from '../../output/format.ts';
import { findKeptArchive } from '../archives/index.ts';
import { fetchBuild, resolveBuild } from '../builds/index.ts';
import { liveBuild } from '../deploy/index.ts';

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
  const app = await api(getApp, { project, app: name });
  const live = liveBuild(app);
  const target =
    requested === undefined
      ? await findBuildBefore(context, name, live)
      : await fetchBuild(api, { project, app: name, build: await resolveBuild(context, name, requested) });
  if (!target) throw nothingBefore(name, live);
  if (requested === undefined) await noteRollback(context, name, live, target.id);
  if (buildPhase(target.status) !== 'succeeded') {
    throw new ConflictError(`build ${target.id} of ${name} did not succeed: its status is ${target.status}`, {
      fix: gantryCommand`builds list ${name}`,
    });
  }
  return { app, live, target };
}

/** The last build that succeeded before this one; without one, the last that succeeded. */
export async function findBuildBefore(
  context: Context,
  app: string,
  build: string | undefined,
): Promise<Build | undefined> {
  const builds = await listNewestFirst(context, app);
  const older = builds.slice(builds.findIndex(({ id }) => id === build) + 1);
  return older.find(({ status }) => buildPhase(status) === 'succeeded');
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

/** Two rollbacks in a row return to where one began, which may be what was not meant. */
async function noteRollback(context: Context, app: string, live: string | undefined, target: string): Promise<void> {
  const restored = live && (await findKeptArchive(context, app, live))?.restored;
  if (!restored) return;
  const { progress } = context;
  progress.note(
    `the live build ${live} is a rollback to ${restored}; name a build to return to another one than ${target}`,
  );
}

function nothingBefore(app: string, live: string | undefined): NotFoundError {
  const message = live ? `${app} has no successful build before ${live}` : `${app} has no successful build`;
  return new NotFoundError(message, { fix: gantryCommand`builds list ${app}`, details: { app, build: live ?? null } });
}
