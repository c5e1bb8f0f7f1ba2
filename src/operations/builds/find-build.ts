import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { getApp } from '../../contract/apps.ts';
import { NotFoundError } from '../../errors.ts';
import { fetchBuild } from './fetch-build.ts';

/** Returns the id of an app's latest build. Throws NotFoundError if it has none. */
export async function findLatestBuild(
  { api, project }: Pick<Context, 'api' | 'project'>,
  app: string,
): Promise<string> {
  const { latestBuildId, latestCreatedBuildId } = await api(getApp, { project, app });
  const build = latestBuildId || latestCreatedBuildId;
  if (!build) throw new NotFoundError(`${app} has no builds yet`, { fix: gantryCommand`deploy` });
  return build;
}

/** Returns the id of the given build after checking that it exists, or of the latest one. */
export async function resolveBuild(context: Pick<Context, 'api' | 'project'>, app: string, build: string | undefined) {
  const { api, project } = context;
  return build === undefined ? findLatestBuild(context, app) : (await fetchBuild(api, { project, app, build })).id;
}
