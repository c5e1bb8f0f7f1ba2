import type { Build } from '../platform/contract/builds.ts';
import type { AppHistory, SeenBuild } from './history/index.ts';
import { always, type BuildFact, buildFact, clockErrorMs, lateMs, type Moment, type Order, order } from './serving.ts';

/** A build that served, as far as that is known. */
export interface ServedBuild {
  id: string;
  /**
   * Seen: an app showed it. Listed: nobody on record looked then, but by its times it served, and later than those after it
   * in the answer. Unclear: a later build was ready first, or the times do not tell. It may never have served.
   */
  evidence: 'seen' | 'listed' | 'unclear';
}

/** What shows which builds served. No history is complete: others deploy as well. */
export interface Past {
  builds: readonly BuildFact[];
  /** Oldest first. */
  looks: readonly SeenBuild[];
}

export function pastOf(listed: readonly Build[], history: AppHistory): Past {
  return { builds: listed.map((build) => buildFact(build)), looks: history.looks() };
}

/** The builds that served before one last began to, or all of them, the latest first. */
export function servedBefore(past: Past, build?: string): ServedBuild[] {
  const began = build === undefined ? never : beganAt(past, build);
  const seen = seenBefore(past, build, began);
  const served = [...seen.keys()].map((id): ServedBuild => ({ id, evidence: 'seen' }));
  const ready = past.builds.filter(({ phase }) => phase === 'succeeded');
  const readyOf = new Map(ready.map((one) => [one.id, one.ready]));
  const unseen = ready.filter((one) => one.id !== build && !seen.has(one.id) && order(one.ready, began) !== 'after');
  for (const one of unseen.sort((a, b) => a.ready.from - b.ready.from)) {
    const places = served.map(({ id }): Order => {
      const wasOver = one.ready.before + lateMs <= (seen.get(id) ?? Number.NEGATIVE_INFINITY);
      return wasOver ? 'before' : order(one.ready, readyOf.get(id) ?? always);
    });
    let at = places.lastIndexOf('before') + 1;
    while (served[at]?.evidence === 'unclear' && places[at] === 'unknown') at += 1;
    const hasServed =
      order(one.ready, began) === 'before' && !ready.some((other) => other !== one && mayHide(other, one));
    const isListed = hasServed && places.slice(at).every((place) => place === 'after');
    served.splice(at, 0, { id: one.id, evidence: isListed ? 'listed' : 'unclear' });
  }
  return served;
}

const never: Moment = { from: Number.POSITIVE_INFINITY, before: Number.POSITIVE_INFINITY };

/** When a build last began to serve: when it was ready, unless an app showed it earlier, or again. */
function beganAt({ builds, looks }: Past, build: string): Moment {
  const ready = builds.find(({ id }) => id === build)?.ready ?? always;
  const shown = looks.filter((look) => look.build === build && Number.isFinite(look.at));
  const last = shown.at(-1)?.at;
  if (last === undefined || (shown.length === 1 && ready.before <= last + clockErrorMs)) return ready;
  return { from: last - lateMs, before: last };
}

/** Those that an app showed before, the latest first, and when it last did. */
function seenBefore({ looks }: Past, build: string | undefined, began: Moment): Map<string, number> {
  const at = looks.findLastIndex((look) => look.build === build);
  const earlier = at < 0 ? looks.filter((look) => look.at <= began.before) : looks.slice(0, at);
  const seen = new Map<string, number>();
  for (const look of earlier.toReversed()) {
    if (look.build !== build && !seen.has(look.build)) seen.set(look.build, look.at);
  }
  return seen;
}

/** Whether a build may have been ready before one that was created earlier, which then never served on some platform. */
function mayHide(other: BuildFact, one: BuildFact): boolean {
  return order(other.created, one.created) !== 'before' && order(other.ready, one.ready) !== 'after';
}

/** When a build served, in ms since 1970. Before `since`, from the end of the one before on, it may have been either. */
export interface ServingTime {
  build: string;
  since: number;
  /** Infinity while it serves. */
  until: number;
}

/** When builds served, oldest first. */
export function servingTimes(past: Past): ServingTime[] {
  const times = servedBefore(past).flatMap(({ id: build }) => {
    const { before: since } = beganAt(past, build);
    const created = past.builds.find(({ id }) => id === build)?.created.from ?? since;
    return Number.isFinite(since) ? [{ build, since, begins: Number.isFinite(created) ? created : since }] : [];
  });
  const ordered = times.sort((a, b) => a.since - b.since);
  return ordered.map(({ build, since }, at) => {
    return { build, since, until: Math.max(since, ordered[at + 1]?.begins ?? Number.POSITIVE_INFINITY) };
  });
}
