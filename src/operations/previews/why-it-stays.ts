import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { type Build, buildPhase, isCanceled, listBuilds } from '../../contract/builds.ts';
import { NotFoundError } from '../../errors.ts';
import { latestFirst, shortBuild } from '../../output/format.ts';
import { isBusy, isExpired } from '../deploy/index.ts';
import { findDefaultBranch } from '../git/index.ts';
import { readHistory } from '../history/index.ts';
import { fetchApp } from '../replies/index.ts';
import { isRefusal } from '../waiting/index.ts';
import { isCommitted } from './list-previews.ts';

/**
 * What the platform shows now against the deletion of a preview; undefined if nothing does. What is on record of its time
 * to live and its files is that of a deploy on record: it says nothing of one that nobody here knows.
 */
export async function whyItStays(
  context: Context,
  app: string,
  { expired, merged }: { expired: boolean; merged: boolean },
): Promise<string | undefined> {
  const builds = await readBuilds(context, app);
  if (typeof builds === 'string') return builds;
  if (builds.some(({ status }) => status === '')) return 'the status of its builds is not known';
  const busy = builds.find((build) => isBusy(build) && !isExpired(build, context.platformNow()));
  if (busy) return `build ${shortBuild(busy.id)} is in progress`;
  if (!expired && !merged) return undefined;
  const history = await readHistory(context, app);
  const last = builds.find(({ id }) => id === history.sent()?.build);
  if (!last) return 'its last deploy is not on record';
  // Where a list has no times, each of the others may be the later one.
  const isEarlier = (build: Build) => Date.parse(build.createdAt ?? '') < Date.parse(last.createdAt ?? '');
  const isOther = (build: Build) => !isCanceled(build.status) && !history.sent(build.id) && !isEarlier(build);
  const other = builds.find(isOther);
  if (other) return `build ${shortBuild(other.id)} is not on record: another machine has deployed it`;
  const live = await findLive(context, app, builds);
  if (live === undefined) return undefined;
  const sent = history.sent(live);
  if (!sent) return `its live build ${shortBuild(live)} is not on record`;
  const main = merged ? await findDefaultBranch(context) : undefined;
  const isLost = main !== undefined && !(await isCommitted(context, sent, main.ref));
  return isLost ? `${main.name} does not have all files of its live build ${shortBuild(live)}` : undefined;
}

/** What the list shows, or why it shows nothing. */
async function readBuilds({ api, project }: Context, app: string): Promise<Build[] | string> {
  try {
    return await api(listBuilds, { project, app });
  } catch (error) {
    if (error instanceof NotFoundError) return 'it was deleted meanwhile';
    if (isRefusal(error)) return 'its builds cannot be listed';
    throw error;
  }
}

/** The last one that succeeded, if the platform does not name it. Undefined if none has. */
async function findLive({ api, project }: Context, app: string, builds: readonly Build[]): Promise<string | undefined> {
  const ready = builds.filter(({ status }) => buildPhase(status) === 'succeeded');
  const [newest] = ready.sort(latestFirst(({ createdAt }) => createdAt));
  return liveBuild(await fetchApp(api, { project, app })) ?? newest?.id;
}
