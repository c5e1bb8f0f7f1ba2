import { mayHaveHappened } from '../../api/lost-reply.ts';
import type { Context } from '../../context.ts';
import { type Build, listBuilds } from '../../contract/builds.ts';
import { fillPath, splitRoute } from '../../contract/endpoint.ts';
import { shortBuild } from '../../output/format.ts';
import { remoteBuild } from '../builds/index.ts';
import { readHistory } from '../history/index.ts';
import { cancelAbandoned, tryRequest } from '../waiting/index.ts';

/** How long the build of a lost reply stays as it was created; one of another deploy gets its upload. In ms. */
const settleMs = 5_000;
/** Times of the platform have whole seconds in places. */
const roundingMs = 1_000;

/**
 * Settles a create app without a reply: a build that nobody can upload would block others. If exactly one build is there
 * that was created since and waits for an upload, it is canceled. Returns whether a new one can be created.
 */
export async function cancelLostCreation(
  context: Context,
  app: string,
  { error, sentAt }: { error: unknown; sentAt: number },
): Promise<boolean> {
  if (!mayHaveHappened(error) || context.signal.aborted) return false;
  const before = await findNew(context, app, sentAt);
  if (before.length !== 1) return false;
  await context.delay(settleMs);
  const [lost, ...others] = await findNew(context, app, sentAt);
  if (!lost || others.length > 0 || lost.id !== before[0]?.id) return false;
  context.progress.note(
    `build ${shortBuild(lost.id)} of ${app} was created, but its reply was lost with the upload URL`,
  );
  return (await cancelAbandoned(context, remoteBuild(context.project, app, lost.id))) === 'cancelled';
}

/** Pending builds that were created since, and not by another deploy on this machine. */
async function findNew(context: Context, app: string, sentAt: number): Promise<Build[]> {
  const builds = await tryRequest(context, (api) => api(listBuilds, { project: context.project, app }));
  const aheadMs = await readClockDifference(context, app);
  if (!builds || aheadMs === undefined) return [];
  const history = await readHistory(context, app);
  const isNew = ({ createdAt }: Build) => Date.parse(createdAt ?? '') >= sentAt + aheadMs - roundingMs;
  return builds.filter((build) => /^pending$/i.test(build.status) && isNew(build) && !history.created(build.id));
}

/** How far the platform's clock is ahead of this machine's, in ms; undefined if it does not show it. */
async function readClockDifference(context: Context, app: string): Promise<number | undefined> {
  const { method, path } = splitRoute(listBuilds.route);
  const url = fillPath(path, { project: context.project, app });
  const reply = await context.raw({ method, path: url, query: [], body: undefined }).catch(() => undefined);
  const date = Date.parse(String(reply?.headers.date ?? ''));
  return Number.isNaN(date) ? undefined : date - context.now();
}
