import { gantryCommand } from '../../kernel/command-line.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { latestFirst } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { App } from '../../platform/contract/apps.ts';
import { type Build, buildHasFailed, buildPhase, listBuilds } from '../../platform/contract/builds.ts';
import { findByBeginning, noneFound, readIdWord } from '../../platform/ids.ts';
import { fetchApp } from '../../platform/replies/index.ts';

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
  success: (status: string) => buildPhase(status) === 'succeeded',
  failed: buildHasFailed,
};
