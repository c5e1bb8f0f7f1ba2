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

/** What the list of builds says of those that are ready and later than the one that an app shows. */
export interface LaterReady {
  /** The one that was created last, if the one that is shown was not: it serves. */
  serves: string | undefined;
  /** One that was ready last and not created last. It serves on some platforms, and on others it never did. */
  mayServe: AwaitedBuild | undefined;
  /** What the app has still the time to show: one of these two. */
  awaited: AwaitedBuild | undefined;
  /** Whether some have no place in the order: they may be later, too. */
  hasUnplaced: boolean;
}

/** A build that an app will show if it is late. */
export interface AwaitedBuild {
  id: string;
  /** How long the app may still take to show it, in ms. */
  lateMs: number;
}

/**
 * The build that serves if the app is late to show it. Where only the app can tell, it is waited for, for a minute at most, or
 * as long as is given.
 */
export async function findLater(
  context: Context,
  app: string,
  known: Known,
  maxMs = maxLateMs,
): Promise<string | undefined> {
  const { serves, mayServe } = findLaterReady(known, context.platformNow());
  if (!mayServe) return serves;
  const shown = await waitUntilShown(context, app, { id: mayServe.id, lateMs: Math.min(mayServe.lateMs, maxMs) });
  // What the list does not have was created since.
  const isNew = shown !== known.live && known.builds.every(({ id }) => id !== shown);
  return shown !== undefined && (isNew || shown === mayServe.id) ? shown : serves;
}

/** Waits until an app shows a build, or has had the time to. Returns what it shows, as far as that is known. */
export async function waitUntilShown(
  context: Context,
  app: string,
  { id, lateMs }: AwaitedBuild,
): Promise<string | undefined> {
  const { project, progress, delay } = context;
  const read = async () => {
    const shown = await tryRequest(context, (api) => fetchApp(api, { project, app }));
    return shown && liveBuild(shown);
  };
  const pauses = Array.from({ length: Math.ceil(lateMs / pauseMs) }, () => pauseMs);
  const step = progress.step(`Waiting for ${app} to show whether build ${shortBuild(id)} serves`);
  try {
    return await waitForChange(read, (shown) => shown === id, delay, pauses);
  } finally {
    step.clear();
  }
}

/**
 * Later is what has ended no earlier than what has served, and was created later, or sent later where that is not shown; or
 * what ended later just now. One that is known to have served was replaced. `now`: by the platform's clock.
 */
export function findLaterReady({ builds, history, live }: Known, now: number): LaterReady {
  const ready = builds.filter(({ status }) => buildPhase(status) === 'succeeded');
  const shown: Timed = builds.find(({ id }) => id === live) ?? { id: live };
  const onRecord = new Set([live, ...history.servedBuilds()]);
  const served = [shown, ...ready.filter(({ id }) => onRecord.has(id) && id !== live)];
  const sentAt = ({ id }: Timed) => Date.parse(history.sent(id)?.at ?? '');
  const isCreatedAfter = (build: Timed, other: Timed) => {
    const afterMs = timeOf(build.createdAt) - timeOf(other.createdAt);
    return afterMs > 0 || (!(afterMs < 0) && sentAt(build) > sentAt(other));
  };
  const later: Timed[] = ready.filter(
    (build) => !onRecord.has(build.id) && !served.some((other) => endOf(build) < endOf(other)),
  );
  const createdLast = later
    .filter((build) => isCreatedAfter(build, shown) && !served.some((other) => isCreatedAfter(other, build)))
    .reduce<Timed | undefined>((last, build) => (last && !isCreatedAfter(build, last) ? last : build), undefined);
  const expected = createdLast ?? shown;
  const readyLast = later.reduce((last, build) => (endOf(build) > endOf(last) ? build : last), expected);
  const lateBuild = (build: Timed, before: Timed): AwaitedBuild | undefined => {
    const lateMs = Math.min(maxLateMs, endOf(build) + maxLateMs - now);
    return build !== before && lateMs > 0 ? { id: build.id, lateMs } : undefined;
  };
  const isPlaced = (build: Timed) =>
    onRecord.has(build.id) ||
    [
      timeOf(build.createdAt) - timeOf(shown.createdAt),
      endOf(build) - endOf(shown),
      sentAt(build) - sentAt(shown),
    ].some((afterMs) => !Number.isNaN(afterMs));
  const mayServe = lateBuild(readyLast, expected);
  const awaited = mayServe ?? lateBuild(expected, shown);
  return { serves: createdLast?.id, mayServe, awaited, hasUnplaced: !ready.every(isPlaced) };
}

type Timed = Pick<Build, 'id' | 'createdAt' | 'updatedAt'>;

const endOf = ({ updatedAt }: Timed): number => timeOf(updatedAt);

/** NaN, which is never later, if it is not shown. */
function timeOf(shown: string | null | undefined): number {
  return Date.parse(shown ?? '');
}
