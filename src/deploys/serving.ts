import { type Build, buildPhase } from '../platform/contract/builds.ts';

/** How late any reply may show what has happened, in ms. */
export const lateMs = 60_000;

export type Serving =
  | { is: 'none' }
  | { is: 'one'; build: string }
  /** The app will show which of these serves by then, in ms by the platform's clock. One: that it serves is inferred. */
  | { is: 'one-of'; builds: readonly string[]; until: number }
  | { is: 'unknown'; why: string };

export type Order = 'before' | 'after' | 'unknown';

/** Orders two times. Those that may be equal are in no order. */
export function order(a: Moment, b: Moment): Order {
  if (a.before <= b.from) return 'before';
  return b.before <= a.from ? 'after' : 'unknown';
}

/** Orders two builds by what decides which of them serves. */
type Rule = (a: BuildFact, b: BuildFact) => Order;

/** No document says whether the build serves that was created last, or the one that was ready last. */
const moments = ['created', 'ready'] as const;
const rules = moments.map(
  (moment): Rule =>
    (a, b) =>
      order(a[moment], b[moment]),
);

/**
 * Which build serves. The app is right about builds that have been ready for a minute. Of later ones, each rule that allows
 * what the app shows names those that may serve. An app that shows none is not asked again once one build is left.
 */
export function serving({ at, shows, builds }: ServingFacts): Serving {
  if (!isKnown(shows)) return { is: 'unknown', why: shows.unknown };
  if (!isKnown(builds)) return { is: 'unknown', why: builds.unknown };
  const ready = builds.filter(({ phase }) => phase === 'succeeded');
  const recent = ready.filter((build) => build.id !== shows && shownBy(build) > at);
  if (shows !== null && recent.length === 0) return { is: 'one', build: shows };
  if (ready.length === 0) return shows === null ? { is: 'none' } : { is: 'one', build: shows };
  const shown = ready.find(({ id }) => id === shows);
  const allowed = rules.filter((rule) => !shown || !ready.some((build) => isRefuted(rule, build, shown, at)));
  const last = new Set(allowed.flatMap((rule) => lastBy(rule, ready)));
  const [first] = last;
  if (first !== undefined && last.size === 1 && (first === shows || shows === null)) return { is: 'one', build: first };
  if (recent.length === 0) return { is: 'unknown', why: 'not-shown' };
  const until = recent.reduce((latest, build) => Math.max(latest, shownBy(build)), at);
  return { is: 'one-of', builds: last.size > 0 ? [...last] : ready.map(({ id }) => id), until };
}

/** The build that serves, shown or inferred; undefined if there is none, or if it is not known. */
export function servingBuild(serving: Serving): string | undefined {
  if (serving.is === 'one') return serving.build;
  return serving.is === 'one-of' && serving.builds.length === 1 ? serving.builds[0] : undefined;
}

/** Whether a build can have replaced another one, by times that the platform shows. Times of the same second allow it. */
export function mayReplace({ builds }: ServingFacts, later: string, build: string): boolean {
  const [a, b] = [later, build].map((id) => (isKnown(builds) ? builds.find((one) => one.id === id) : undefined));
  if (!a || !b) return false;
  return moments.some((moment) => isShown(a[moment]) && isShown(b[moment]) && order(a[moment], b[moment]) !== 'before');
}

const isShown = ({ from, before }: Moment): boolean => Number.isFinite(from) && Number.isFinite(before);

/** When every app that is late will have shown a build, if it has served, in ms. */
function shownBy({ ready }: BuildFact): number {
  return ready.before + lateMs;
}

/** By this rule, the shown build never served, or was replaced longer ago than an app is late. */
function isRefuted(rule: Rule, build: BuildFact, shown: BuildFact, at: number): boolean {
  if (rule(build, shown) !== 'after') return false;
  return shownBy(build) <= at || order(build.ready, shown.ready) === 'before';
}

function lastBy(rule: Rule, ready: readonly BuildFact[]): string[] {
  return ready.filter((one) => !ready.some((other) => rule(other, one) === 'after')).map(({ id }) => id);
}

interface NotKnown {
  unknown: 'refused' | 'no-reply' | 'not-shown';
}
export type Known<T> = T | NotKnown;

export function isKnown<T>(fact: Known<T>): fact is T {
  return !(typeof fact === 'object' && fact !== null && 'unknown' in fact);
}

/** When something happened, as far as that is known: from one time on, and before another, in ms since 1970. */
export interface Moment {
  from: number;
  before: number;
}

export interface BuildFact {
  id: string;
  status: string;
  phase: 'in progress' | 'succeeded' | 'failed';
  created: Moment;
  /** Of one that has succeeded. */
  ready: Moment;
}

/** What a reading of an app showed, as far as it decides which build serves. */
export interface ServingFacts {
  /** When, in ms since 1970 by the platform's clock. */
  at: number;
  shows: Known<string | null>;
  builds: Known<readonly BuildFact[]>;
}

/** Times of this machine are those of the platform's replies, which have whole seconds. In ms. */
export const clockErrorMs = 2_000;

/** `readySeen`: the first reading of this command that showed it as ready, in ms by the platform's clock. */
export function buildFact({ id, status, createdAt, updatedAt }: Build, readySeen?: number): BuildFact {
  const phase = buildPhase(status);
  const ready = phase === 'succeeded' ? moment(updatedAt) : always;
  const before = Math.min(ready.before, (readySeen ?? Number.POSITIVE_INFINITY) + clockErrorMs);
  // The platform's own time counts where they contradict each other.
  return { id, status, phase, created: moment(createdAt), ready: ready.from < before ? { ...ready, before } : ready };
}

/** A time as the platform wrote it. One without a fraction may be rounded to seconds. */
function moment(time: string | null | undefined): Moment {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? always : { from: ms, before: ms + (ms % 1000 === 0 ? 1000 : 1) };
}

export const always: Moment = { from: Number.NEGATIVE_INFINITY, before: Number.POSITIVE_INFINITY };
