import { endingOf, type LogEnding } from '../../calls/logs/index.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import { type Build, buildPhase, getBuild } from '../../platform/contract/builds.ts';
import { expectId } from '../../platform/replies/index.ts';

/** Reads one build. Throws UnexpectedReplyError if the platform replies with another one. */
export async function fetchBuild(api: Api, params: { project: string; app: string; build: string }): Promise<Build> {
  return expectId('build', params.build, await api(getBuild, params));
}

/** When a build ended; undefined if it is in progress. Throws as the request does. */
export async function readBuildEnding(context: Context, app: string, build: string): Promise<LogEnding | undefined> {
  const { api, project } = context;
  const { status, updatedAt } = await fetchBuild(api, { project, app, build });
  return buildPhase(status) === 'in progress' ? undefined : endingOf(context, updatedAt);
}
