import { type Build, buildPhase } from '../../contract/builds.ts';
import type { AppHistory } from './app-history.ts';

/** How late an app may show what serves, in ms. Longer ago, a build that is not shown has been replaced. */
const maxLateMs = 60_000;

/**
 * A build that is ready and later than the one that an app shows as live: that reply may lag behind. Later is what was
 * created or sent later and has not ended earlier, or what ended later just now. One that is known to have served was
 * replaced. `now`: by the platform's clock.
 */
export function findLaterReady(
  builds: readonly Build[],
  { history, live, now }: { history: AppHistory; live: string; now: number },
): string | undefined {
  const shown = builds.find(({ id }) => id === live);
  const served = new Set(history.servedBuilds());
  const sentAt = (id: string) => Date.parse(history.sent(id)?.at ?? '');
  const isLater = ({ id, createdAt, updatedAt }: Build) => {
    const [ended, shownEnded] = [timeOf(updatedAt), timeOf(shown?.updatedAt)];
    if (ended < shownEnded) return false;
    const hasJustEnded = ended > shownEnded && now - ended <= maxLateMs;
    return timeOf(createdAt) > timeOf(shown?.createdAt) || sentAt(id) > sentAt(live) || hasJustEnded;
  };
  return builds.find((build) => buildPhase(build.status) === 'succeeded' && isLater(build) && !served.has(build.id))
    ?.id;
}

/** NaN, which is never later, if it is not shown. */
function timeOf(shown: string | null | undefined): number {
  return Date.parse(shown ?? '');
}
