import { signOfCopy } from '../../api/cached-copy.ts';
import { mayHaveHappened } from '../../api/lost-reply.ts';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type Build, listBuilds } from '../../contract/builds.ts';
import { fillPath, splitRoute } from '../../contract/endpoint.ts';
import { shortBuild } from '../../output/format.ts';
import { readHistory } from '../history/index.ts';
import { tryRequest } from '../waiting/index.ts';
import { isPending } from './pending-upload.ts';

/** Times of the platform have whole seconds in places. */
const roundingMs = 1_000;

/**
 * After a create app without a reply: names the builds that were created since and wait for an upload. The platform does
 * not show who created a build, so that each may be somebody else's, and none is canceled: one that gets no upload never
 * starts. Returns their ids: if there is one, another can be created.
 */
export async function nameLostCreation(
  context: Context,
  app: string,
  { error, sentAt }: { error: unknown; sentAt: number },
): Promise<string[]> {
  if (!mayHaveHappened(error) || context.signal.aborted) return [];
  const found = await findNewBuilds(context, app, sentAt);
  for (const { id } of found) {
    context.progress.warn({
      severity: 'warning',
      message: `build ${shortBuild(id)} of ${app} may be of this deploy: it was created when the platform's reply was lost`,
      why: 'the platform does not show who created it, and its upload URL was in the reply: creating another build',
      fix: gantryCommand`builds cancel ${app} ${id}`,
    });
  }
  return found.map(({ id }) => id);
}

/** Pending builds that were created since, and not by another deploy on this machine. */
export async function findNewBuilds(
  context: Context,
  app: string,
  sentAt: number,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<Build[]> {
  const builds = await tryRequest(context, (api) => api(listBuilds, { project: context.project, app }));
  const aheadMs = await readClockDifference(context, app);
  if (!builds || aheadMs === undefined) return [];
  const history = await readHistory(context, app);
  const isNew = ({ createdAt }: Build) => {
    const afterMs = Date.parse(createdAt ?? '') - (sentAt + aheadMs);
    return afterMs >= -roundingMs && afterMs <= withinMs;
  };
  return builds.filter((build) => isPending(build.status) && isNew(build) && !history.created(build.id));
}

/** How far the platform's clock is ahead of this machine's, in ms; undefined if it does not show it. */
async function readClockDifference(context: Context, app: string): Promise<number | undefined> {
  const { method, path } = splitRoute(listBuilds.route);
  const url = fillPath(path, { project: context.project, app });
  const reply = await context.raw({ method, path: url, query: [], body: undefined }).catch(() => undefined);
  const isCopy = reply !== undefined && signOfCopy(reply.headers) !== undefined;
  const date = isCopy ? Number.NaN : Date.parse(String(reply?.headers.date ?? ''));
  return Number.isNaN(date) ? undefined : date - context.now();
}
