import { endingOf, type LogEnding } from '../../calls/logs/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { latestFirst } from '../../kernel/output/format.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import type { App } from '../../platform/contract/apps.ts';
import {
  type Build,
  buildHasFailed,
  buildPhase,
  cancelBuild,
  getBuild,
  listBuilds,
  ownStatus,
} from '../../platform/contract/builds.ts';
import { findByBeginning, noneFound, readIdWord } from '../../platform/ids.ts';
import { expectId, fetchApp } from '../../platform/replies/index.ts';
import type { RemoteWork } from '../../platform/waiting/index.ts';

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

/** A build as something that can be canceled. */
export function remoteBuild(project: string, app: string, build: string): RemoteWork {
  const params = { project, app, build };
  return {
    kind: 'build',
    app,
    id: build,
    async readStatus(api) {
      const { status } = await fetchBuild(api, params);
      return { status: ownStatus(status), hasEnded: buildPhase(status) !== 'in progress' };
    },
    isListed: async (api) => (await api(listBuilds, { project, app })).some(({ id }) => id === build),
    cancel: (api) => api(cancelBuild, params),
  };
}

type Source = Pick<Context, 'api' | 'project'>;

/** The id of an app's latest build. One that has nothing but jobs has none. */
export function latestBuildOf({ latestBuildId, latestCreatedBuildId }: App): string | undefined {
  return latestBuildId || latestCreatedBuildId || undefined;
}

/**
 * Returns the id of the build that a word names: an id, the beginning of one, `latest`, `latest:failed`; without a word,
 * of the latest one. A UUID is not looked up, and an id of another form need not be listed. Throws NotFoundError, UsageError.
 */
export async function resolveBuild(source: Source, app: string, word: string | undefined): Promise<string> {
  const wanted = readIdWord(word);
  if ('id' in wanted && !wanted.mayBeBeginning) return wanted.id;
  if ('latest' in wanted && wanted.latest === 'any') {
    const build = latestBuildOf(await fetchApp(source.api, { project: source.project, app }));
    if (build === undefined) throw new NotFoundError(`${app} has no builds yet`, { fix: gantryCommand`deploy` });
    return build;
  }
  const found = await findListedBuild(source, app, word ?? '').catch((error: unknown) => {
    if ('id' in wanted && !(error instanceof UsageError)) return { id: wanted.id };
    throw error;
  });
  if (!found && 'id' in wanted) return wanted.id;
  if (!found) throw noneFound(word ?? '', { noun: 'build', app, list: gantryCommand`builds list ${app}` });
  return found.id;
}

/** The same, if the platform lists it. */
export async function findListedBuild({ api, project }: Source, app: string, word: string): Promise<Build | undefined> {
  const wanted = readIdWord(word);
  const items = (await api(listBuilds, { project, app })).sort(latestFirst(({ createdAt }) => createdAt));
  if (!('latest' in wanted)) {
    return findByBeginning(word, { noun: 'build', app, items, list: gantryCommand`builds list ${app}` });
  }
  return items.find(({ status }) => hasResult[wanted.latest](status));
}

const hasResult = {
  any: () => true,
  succeeded: (status: string) => buildPhase(status) === 'succeeded',
  failed: buildHasFailed,
};
