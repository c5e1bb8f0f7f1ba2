import { toMs } from '../kernel/output/format.ts';
import { type Build, buildPhase } from '../platform/contract/builds.ts';
import { type AppHistory, clockErrorMs } from './history/index.ts';

/** How late any reply may show what has happened, in ms. */
export const lateMs = 60_000;

export type Serving =
  | { is: 'none' }
  | { is: 'one'; build: string }
  /** The app will show within a minute which of these serves. One: that it serves is inferred. */
  | { is: 'one of'; builds: readonly string[] }
  | { is: 'not known' };

export type Order = 'before' | 'after' | 'unknown';

/** Orders two times. Those that may be equal are in no order. */
export function order(a: Moment, b: Moment): Order {
  if (a.before <= b.from) return 'before';
  return b.before <= a.from ? 'after' : 'unknown';
}

/** Orders two builds by what decides which of them serves. */
type ServingRule = (a: BuildFact, b: BuildFact) => Order;

/** No document says whether the build serves that was created last, or the one that was ready last. */
const moments = ['created', 'ready'] as const;
const rules = moments.map(
  (moment): ServingRule =>
    (a, b) =>
      order(a[moment], b[moment]),
);

/**
 * Which build serves. The app is right about builds that have been ready for a minute. Of later ones, each rule that allows
 * what the app shows names those that may serve. An app that shows none is not asked again once one build is left.
 */
export function serving({ at, shows, builds }: ServingFacts): Serving {
  if (!builds) return { is: 'not known' };
  const ready = builds.filter(({ phase }) => phase === 'succeeded');
  const recent = ready.filter((build) => build.id !== shows && shownBy(build) > at);
  if (shows !== null && recent.length === 0) return { is: 'one', build: shows };
  if (ready.length === 0) return shows === null ? { is: 'none' } : { is: 'one', build: shows };
  const shownBuild = ready.find(({ id }) => id === shows);
  const allowed = rules.filter((rule) => !shownBuild || !ready.some((build) => isRefuted(rule, build, shownBuild, at)));
  const last = new Set(allowed.flatMap((rule) => lastBy(rule, ready)));
  const [first] = last;
  if (first !== undefined && last.size === 1 && (first === shows || shows === null)) return { is: 'one', build: first };
  if (recent.length === 0) return { is: 'not known' };
  return { is: 'one of', builds: last.size > 0 ? [...last] : ready.map(({ id }) => id) };
}

/** The build that serves, shown or inferred; undefined if there is none, or if it is not known. */
export function servingBuild(serving: Serving): string | undefined {
  if (serving.is === 'one') return serving.build;
  return serving.is === 'one of' && serving.builds.length === 1 ? serving.builds[0] : undefined;
}

/** Whether a build can have replaced another one, by times that the platform shows. Times of the same second allow it. */
export function mayReplace({ builds }: ServingFacts, later: string, build: string): boolean {
  const [a, b] = [later, build].map((id) => builds?.find((each) => each.id === id));
  if (!a || !b) return false;
  return moments.some((moment) => isShown(a[moment]) && isShown(b[moment]) && order(a[moment], b[moment]) !== 'before');
}

const isShown = ({ from, before }: Moment): boolean => Number.isFinite(from) && Number.isFinite(before);

/** When every app that is late will have shown a build, if it has served, in ms. */
function shownBy({ ready }: BuildFact): number {
  return ready.before + lateMs;
}

/** Whether the shown build, by this rule, never served, or was replaced longer ago than an app is late. */
function isRefuted(rule: ServingRule, build: BuildFact, shownBuild: BuildFact, at: number): boolean {
  if (rule(build, shownBuild) !== 'after') return false;
  return shownBy(build) <= at || order(build.ready, shownBuild.ready) === 'before';
}

function lastBy(rule: ServingRule, ready: readonly BuildFact[]): string[] {
  return ready.filter((build) => !ready.some((other) => rule(other, build) === 'after')).map(({ id }) => id);
}

/** When something happened, as far as that is known: from one time on, and before another, in ms since 1970. */
export interface Moment {
  from: number;
  before: number;
}

export type BuildFact = ReturnType<typeof buildFact>;

/** What a reading of an app showed, as far as it decides which build serves. */
export interface ServingFacts {
  /** When, in ms since 1970 by the platform's clock. */
  at: number;
  shows: string | null;
  /** Undefined if they may not be listed. */
  builds: readonly BuildFact[] | undefined;
}

/** `readySeen`: the first reading of this command that showed it as ready, in ms by the platform's clock. */
export function buildFact({ id, status, createdAt, updatedAt }: Build, readySeen?: number) {
  const phase = buildPhase(status);
  const ready = phase === 'succeeded' ? moment(updatedAt) : always;
  const before = Math.min(ready.before, (readySeen ?? Number.POSITIVE_INFINITY) + clockErrorMs);
  // The platform's own time counts where they contradict each other.
  return { id, status, phase, created: moment(createdAt), ready: ready.from < before ? { ...ready, before } : ready };
}

/** A time as the platform wrote it. One without a fraction may be rounded to seconds. */
function moment(time: string | null | undefined): Moment {
  const ms = toMs(time);
  return Number.isNaN(ms) ? always : { from: ms, before: ms + (ms % 1000 === 0 ? 1000 : 1) };
}

export const always: Moment = { from: Number.NEGATIVE_INFINITY, before: Number.POSITIVE_INFINITY };

/** A build that served, as an app showed. One that nobody on record saw is only listed: it may never have served. */
export interface ServedBuild {
  id: string;
  isSeen: boolean;
}

/** What shows which builds served. No history is complete: others deploy as well. */
export type Past = ReturnType<typeof pastOf>;

export function pastOf(listed: readonly Build[], history: AppHistory) {
  return { builds: listed.map((build) => buildFact(build)), looks: history.looks() };
}

/** The builds that served before one last began to, or all of them, the latest first. Unseen ones are as late as they may be. */
export function servedBefore(past: Past, build?: string): ServedBuild[] {
  const began = beganAt(past, build);
  const lastShown = seenBefore(past, build, began);
  const served = [...lastShown.keys()].map((id): ServedBuild => ({ id, isSeen: true }));
  const ready = past.builds.filter(({ phase }) => phase === 'succeeded');
  const readyOf = new Map(ready.map((each) => [each.id, each.ready]));
  const unseen = ready.filter(
    (each) => each.id !== build && !lastShown.has(each.id) && order(each.ready, began) !== 'after',
  );
  for (const unseenBuild of unseen.sort((a, b) => a.ready.from - b.ready.from)) {
    const isBefore = ({ id }: ServedBuild) => {
      const wasShownLate = unseenBuild.ready.before + lateMs <= (lastShown.get(id) ?? Number.NEGATIVE_INFINITY);
      return wasShownLate || order(unseenBuild.ready, readyOf.get(id) ?? always) === 'before';
    };
    served.splice(served.findLastIndex(isBefore) + 1, 0, { id: unseenBuild.id, isSeen: false });
  }
  return served;
}

const never: Moment = { from: Number.POSITIVE_INFINITY, before: Number.POSITIVE_INFINITY };

/** When a build last began to serve, or without one after all of them: when it was ready, unless an app showed it earlier, or again. */
function beganAt({ builds, looks }: Past, build: string | undefined): Moment {
  if (build === undefined) return never;
  const ready = builds.find(({ id }) => id === build)?.ready ?? always;
  const looksAt = looks.filter((look) => look.build === build && Number.isFinite(look.at));
  const last = looksAt.at(-1)?.at;
  if (last === undefined || (looksAt.length === 1 && ready.before <= last + clockErrorMs)) return ready;
  return { from: last - lateMs, before: last };
}

/** Those that an app showed before, the latest first, and when it last did. */
function seenBefore({ looks }: Past, build: string | undefined, began: Moment): Map<string, number> {
  const at = looks.findLastIndex((look) => look.build === build);
  const earlier = at < 0 ? looks.filter((look) => look.at <= began.before) : looks.slice(0, at);
  const lastShown = new Map<string, number>();
  for (const look of earlier.toReversed()) {
    if (look.build !== build && !lastShown.has(look.build)) lastShown.set(look.build, look.at);
  }
  return lastShown;
}

/** When a build served, in ms since 1970. Before `since`, from the end of the one before on, it may have been either. */
export type ServingTime = ReturnType<typeof servingTimes>[number];

/** When builds served, oldest first. `until`: Infinity while one serves. */
export function servingTimes(past: Past) {
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
