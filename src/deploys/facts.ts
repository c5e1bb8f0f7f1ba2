import { type Build, buildPhase } from '../platform/contract/builds.ts';

/** A fact that is not known, and why. */
export interface NotKnown {
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
  /** The build that the app shows; null if it shows none. */
  shows: Known<string | null>;
  builds: Known<readonly BuildFact[]>;
}

/** What else is known of a build, by the platform's clock. */
export interface KnownTimes {
  /** The first reading of this command that showed it as ready. */
  readySeen?: number | undefined;
  /** From here, or by the team: when it was created, and when its upload ended. */
  createdAt?: number | undefined;
  sentAt?: number | undefined;
}

/** Times of this machine are those of the platform's replies, which have whole seconds. In ms. */
export const clockErrorMs = 2_000;
/** How long a request that creates a build may take. In ms. */
const maxRequestMs = 30_000;

export function buildFact({ id, status, createdAt, updatedAt }: Build, observed: KnownTimes = {}): BuildFact {
  const phase = buildPhase(status);
  const { readySeen, createdAt: created, sentAt: sent } = observed;
  return {
    id,
    status,
    phase,
    created: overlap(
      moment(createdAt),
      created === undefined ? always : { from: created - maxRequestMs, before: created + clockErrorMs },
      sent === undefined ? always : { ...always, before: sent + clockErrorMs },
    ),
    ready: overlap(
      phase === 'succeeded' ? moment(updatedAt) : always,
      readySeen === undefined ? always : { ...always, before: readySeen + clockErrorMs },
      sent === undefined ? always : { ...always, from: sent - clockErrorMs },
    ),
  };
}

/** A time as the platform wrote it. One without a fraction may be rounded to seconds. */
function moment(time: string | null | undefined): Moment {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? always : { from: ms, before: ms + (ms % 1000 === 0 ? 1000 : 1) };
}

export const always: Moment = { from: Number.NEGATIVE_INFINITY, before: Number.POSITIVE_INFINITY };

/** The first one counts where they contradict each other: it is the platform's own. */
function overlap(first: Moment, ...others: readonly Moment[]): Moment {
  return others.reduce(({ from, before }, other) => {
    const both = { from: Math.max(from, other.from), before: Math.min(before, other.before) };
    return both.from < both.before ? both : { from, before };
  }, first);
}
