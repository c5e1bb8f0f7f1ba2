import { endingOf, type LogEnding } from '../../calls/logs/index.ts';
import { CachedCopyError } from '../../platform/api/cached-copy.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import { type Build, buildPhase, getBuild, listBuilds } from '../../platform/contract/builds.ts';
import { expectId } from '../../platform/replies/index.ts';

/**
 * Reads one build, from the list of all where the reply about it is a copy that a cache kept. Throws UnexpectedReplyError if
 * the platform replies with another build.
 */
export async function fetchBuild(api: Api, params: { project: string; app: string; build: string }): Promise<Build> {
  try {
    return expectId('build', params.build, await api(getBuild, params));
  } catch (error) {
    const listed = error instanceof CachedCopyError ? await api(listBuilds, params).catch(() => []) : [];
    const found = listed.find(({ id }) => id === params.build);
    if (found) return found;
    throw error;
  }
}

/** When a build ended; undefined if it is in progress. Throws as the request does. */
export async function readBuildEnding(context: Context, app: string, build: string): Promise<LogEnding | undefined> {
  const { api, project } = context;
  const { status, updatedAt } = await fetchBuild(api, { project, app, build });
  return buildPhase(status) === 'in progress' ? undefined : endingOf(context, updatedAt);
}
