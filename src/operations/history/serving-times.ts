import { type Build, buildPhase } from '../../contract/builds.ts';
import type { AppHistory } from './app-history.ts';

/** When a build served, in ms since 1970. Before `since`, from the end of the one before on, it may have been either. */
export interface ServingTime {
  build: string;
  since: number;
  /** Infinity while it serves. */
  until: number;
}

/**
 * When builds served, oldest first: from the history, and for those that it does not know from the platform's list, where a
 * build serves from its success on.
 */
export function servingTimes(history: AppHistory, listed: readonly Build[]): ServingTime[] {
  const succeeded = listed.filter(({ status }) => buildPhase(status) === 'succeeded');
  const known = new Map(listed.map((build) => [build.id, build]));
  const builds = new Set([...history.servedBuilds(), ...succeeded.map(({ id }) => id)]);
  const starts = [...builds].flatMap((build) => {
    const { createdAt, updatedAt } = known.get(build) ?? {};
    const ready = [history.beginnings(build)[0], timeOf(updatedAt)].filter((at) => at !== undefined);
    const first = ready.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
    const sent = timeOf(history.sent(build)?.at) ?? timeOf(createdAt) ?? first;
    return Number.isFinite(sent) ? [{ build, sent, since: ready.length > 0 ? Math.max(sent, first) : sent }] : [];
  });
  const ordered = starts.sort((a, b) => a.since - b.since);
  return ordered.map(({ build, since }, index) => {
    const next = ordered[index + 1];
    return { build, since, until: next ? Math.max(since, next.sent) : Number.POSITIVE_INFINITY };
  });
}

function timeOf(time: string | null | undefined): number | undefined {
  return Date.parse(time ?? '') || undefined;
}
