import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { type Build, buildPhase } from '../../contract/builds.ts';
import { shortBuild } from '../../output/format.ts';
import { fetchApp } from '../replies/index.ts';
import { tryRequest, waitForChange } from '../waiting/index.ts';
import type { AppHistory } from './app-history.ts';

/** How late an app may show what serves, in ms. Longer ago, a build that is not shown has been replaced. */
const maxLateMs = 60_000;
const pauseMs = 2_000;

interface Known {
  builds: readonly Build[];
  history: AppHistory;
  /** The build that the app shows. */
  live: string;
}

/** A build that is ready and later than the one that an app shows. */
export interface LaterReady {
  id: string;
  /**
   * It was created later as well, so that it serves. One that was created earlier serves on some platforms, and on others it
   * was replaced before it did: only the app can tell.
   */
  isCertain: boolean;
  /** How long the app may still take to show it, in ms. */
  lateMs: number;
}

/** The build that serves if the app is late to show it. Where only the app can tell, it is waited for, for a minute at most. */
export async function findLater(context: Context, app: string, known: Known): Promise<string | undefined> {
  const later = findLaterReady(known, context.platformNow());
  return later && (later.isCertain || (await isShown(context, app, later))) ? later.id : undefined;
}

/** Waits until an app shows a build that may serve, or has had the time to. Returns whether it shows it. */
export async function isShown(context: Context, app: string, { id, lateMs }: LaterReady): Promise<boolean> {
  const { project, progress, delay } = context;
  const read = async () => {
    const shown = await tryRequest(context, (api) => fetchApp(api, { project, app }));
    return shown !== undefined && liveBuild(shown) === id;
  };
  const pauses = Array.from({ length: Math.ceil(lateMs / pauseMs) }, () => pauseMs);
  const step = progress.step(`Waiting for ${app} to show whether build ${shortBuild(id)} serves`);
  try {
    return await waitForChange(read, Boolean, delay, pauses);
  } finally {
    step.clear();
  }
}

/**
 * Later is what was created later, or sent later where that is not shown, and has not ended earlier; or what ended later just
 * now. One that is known to have served was replaced. `now`: by the platform's clock.
 */
export function findLaterReady({ builds, history, live }: Known, now: number): LaterReady | undefined {
  const shown = builds.find(({ id }) => id === live);
  const served = new Set([live, ...history.servedBuilds()]);
  const sentAt = (id: string) => Date.parse(history.sent(id)?.at ?? '');
  const later = builds.flatMap(({ id, status, createdAt, updatedAt }) => {
    const [ended, shownEnded] = [timeOf(updatedAt), timeOf(shown?.updatedAt)];
    if (buildPhase(status) !== 'succeeded' || served.has(id) || ended < shownEnded) return [];
    const afterMs = timeOf(createdAt) - timeOf(shown?.createdAt);
    const isCertain = afterMs > 0 || (!(afterMs < 0) && sentAt(id) > sentAt(live));
    const hasJustEnded = ended > shownEnded && now - ended <= maxLateMs;
    const lateMs = Math.min(maxLateMs, ended + maxLateMs - now);
    return isCertain || hasJustEnded ? [{ id, isCertain, lateMs }] : [];
  });
  return later.find(({ isCertain }) => isCertain) ?? later[0];
}

/** NaN, which is never later, if it is not shown. */
function timeOf(shown: string | null | undefined): number {
  return Date.parse(shown ?? '');
}
