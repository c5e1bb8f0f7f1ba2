import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { type Build, buildPhase } from '../../contract/builds.ts';
import { fetchApp } from '../replies/index.ts';
import { waitForChange } from '../waiting/index.ts';
import type { AppHistory } from './app-history.ts';

/** How late an app may show what serves, in ms. Longer ago, a build that is not shown has been replaced. */
const maxLateMs = 60_000;

interface Known {
  builds: readonly Build[];
  history: AppHistory;
  /** The build that the app shows. */
  live: string;
}

/**
 * The build that serves if the app is late to show it: one that is ready and was created or sent later than the one that
 * it shows, and has not ended earlier. One that was created earlier and has just ended later may have been replaced before
 * it served: the app is waited for, for about ten seconds, and decides.
 */
export async function findLater(context: Context, app: string, known: Known): Promise<string | undefined> {
  const { api, project, delay, platformNow } = context;
  const later = findLaterReady(known, platformNow());
  if (!later || later.isCertain) return later?.id;
  const read = async () => liveBuild(await fetchApp(api, { project, app }));
  const shown = await waitForChange(read, (build) => build !== known.live, delay);
  return shown === known.live ? undefined : shown;
}

/** One that is known to have served was replaced. `now`: by the platform's clock. */
function findLaterReady({ builds, history, live }: Known, now: number): { id: string; isCertain: boolean } | undefined {
  const shown = builds.find(({ id }) => id === live);
  const served = new Set(history.servedBuilds());
  const sentAt = (id: string) => Date.parse(history.sent(id)?.at ?? '');
  const later = builds.flatMap(({ id, status, createdAt, updatedAt }) => {
    const [ended, shownEnded] = [timeOf(updatedAt), timeOf(shown?.updatedAt)];
    if (buildPhase(status) !== 'succeeded' || served.has(id) || ended < shownEnded) return [];
    const isCertain = timeOf(createdAt) > timeOf(shown?.createdAt) || sentAt(id) > sentAt(live);
    const hasJustEnded = ended > shownEnded && now - ended <= maxLateMs;
    return isCertain || hasJustEnded ? [{ id, isCertain }] : [];
  });
  return later.find(({ isCertain }) => isCertain) ?? later[0];
}

/** NaN, which is never later, if it is not shown. */
function timeOf(shown: string | null | undefined): number {
  return Date.parse(shown ?? '');
}
