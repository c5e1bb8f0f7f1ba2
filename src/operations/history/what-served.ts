import { type Build, buildPhase } from '../../contract/builds.ts';
import type { AppHistory } from './app-history.ts';

/** A build that served, as far as that is known. */
export interface ServedBuild {
  id: string;
  /**
   * Seen: an app showed it. Listed: nobody on record looked then, but it has succeeded, and was ready before what replaced
   * it. Unclear: a later build was ready first, or no times are shown. It may never have served.
   */
  evidence: 'seen' | 'listed' | 'unclear';
}

interface Known {
  builds: readonly Build[];
  history: AppHistory;
}

/**
 * The builds that served before one began to, or all of them, the latest first. No history is complete: others deploy as
 * well. What nobody saw is known from the platform's list of builds. `shown`: what an app showed before this build, on
 * record or not.
 */
export function servedBefore(known: Known, build: string | undefined, shown?: string | null): ServedBuild[] {
  const { builds, history } = known;
  const seen = new Set([...history.seenBefore(build), ...(shown ? [shown] : [])]);
  const served = [...seen].map((id): ServedBuild => ({ id, evidence: 'seen' }));
  const times = new Times(known);
  const onRecord = new Set([...history.servedBuilds(), ...seen, build]);
  const others = builds.filter(({ id, status }) => buildPhase(status) === 'succeeded' && !onRecord.has(id));
  for (const { id } of others.sort((a, b) => (times.ready(a.id) || 0) - (times.ready(b.id) || 0))) {
    const evidence = times.evidenceBefore(build, id);
    const at = served.findIndex((earlier) => times.isAfter(id, earlier));
    if (evidence) served.splice(at < 0 ? served.length : at, 0, { id, evidence });
  }
  return served;
}

/** Times of the history are those of the platform's replies, in whole seconds. */
const clockErrorMs = 2_000;

/** When builds became ready, in ms. NaN is what the platform does not show. */
class Times {
  readonly #times: Map<string, { created: number; ended: number; hasSucceeded: boolean }>;

  constructor(private readonly known: Known) {
    this.#times = new Map(known.builds.map((build) => [build.id, timesOf(build)]));
  }

  ready(id: string): number {
    const { created, ended } = this.#of(id);
    return ended || created;
  }

  /** What the list says of a build that nobody saw before another one served. Undefined if it came later. */
  evidenceBefore(build: string | undefined, id: string): 'listed' | 'unclear' | undefined {
    const began = build === undefined ? Number.POSITIVE_INFINITY : this.#began(build);
    const { created, ended } = this.#of(id);
    const at = this.ready(id);
    if (Number.isNaN(at) || Number.isNaN(began)) return 'unclear';
    if (at > began) return build !== undefined && created < this.#of(build).created ? 'unclear' : undefined;
    const ready = [...this.#times.values()].filter(({ hasSucceeded }) => hasSucceeded);
    const isOvertaken = ready.some((other) => other.created > created && other.ended < ended);
    return isOvertaken ? 'unclear' : 'listed';
  }

  /** Whether a build that nobody saw began later than one that served. Without times, it may have. */
  isAfter(id: string, { id: earlier, evidence }: ServedBuild): boolean {
    const ready = this.ready(id);
    const seenAt = evidence === 'seen' ? this.known.history.beginnings(earlier).at(-1) : undefined;
    return !(ready < this.ready(earlier)) && !(seenAt !== undefined && ready < seenAt - clockErrorMs);
  }

  /** One that was put back began anew. */
  #began(id: string): number {
    const [first = Number.NaN, ...again] = this.known.history.beginnings(id);
    const ready = this.ready(id);
    return again.at(-1) ?? (ready > first + clockErrorMs || Number.isNaN(ready) ? first : ready);
  }

  #of(id: string) {
    return this.#times.get(id) ?? { created: Number.NaN, ended: Number.NaN };
  }
}

function timesOf({ createdAt, updatedAt, status }: Build) {
  const [created, ended] = [createdAt, updatedAt].map((time) => Date.parse(time ?? '')) as [number, number];
  return { created, ended, hasSucceeded: buildPhase(status) === 'succeeded' };
}
