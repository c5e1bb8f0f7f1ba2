import type { Outcome, ScalingSettings } from './advice.ts';

/**
 * What is wanted of settings: that a measure of theirs is at most so much, and another one as small as can be. Longer
 * cooldowns keep the limit of the cheapest, shorter ones that of the fastest.
 */
export interface Wish {
  option: 'cheapest' | 'fastest';
  /** `p90 < 6 s`. */
  within: string;
  most: number;
  limited: SettingMeasure;
  /** The first one counts, the next ones among equals. */
  least: readonly [SettingMeasure, ...SettingMeasure[]];
  /** What is said if no settings keep it. */
  missed: (nearest: Outcome) => string;
}

type SettingMeasure = (outcome: Outcome) => number;
type ReplaySettings = (settings: ScalingSettings) => Promise<Outcome>;

/** In seconds: where the search begins. */
const coarse = [10, 60, 180, 600, 1_800, 3_600];

/**
 * Replays settings around those of now, which are the first: cooldowns far apart, then between the last that misses a wish
 * and the first that keeps it, for each number of replicas and of calls at once where that may be the best one.
 */
export async function searchSettings(
  replay: ReplaySettings,
  now: Outcome,
  { concurrencies, wishes }: { concurrencies: readonly number[]; wishes: readonly Wish[] },
): Promise<Outcome[]> {
  const cooldowns = [...new Set([...coarse, now.cooldownSeconds])].sort((a, b) => a - b);
  const families: Outcome[][] = [];
  for (const others of neighbors(now, concurrencies)) {
    const family: Outcome[] = [];
    for (const cooldownSeconds of cooldowns) family.push(await replay({ ...others, cooldownSeconds }));
    families.push(family);
  }
  for (const wish of wishes) for (const family of families) await bisect(replay, family, wish, families);
  return [now, ...families.flat().filter((each) => settingsKey(each) !== settingsKey(now))];
}

export function isKept({ limited, most }: Wish, outcome: Outcome): boolean {
  return limited(outcome) <= most;
}

/** Adds what it replays to the family, whose cooldowns ascend. */
async function bisect(
  replay: ReplaySettings,
  family: Outcome[],
  wish: Wish,
  families: readonly Outcome[][],
): Promise<void> {
  const [measure] = wish.least;
  const isCheapest = wish.option === 'cheapest';
  const kept = families.flat().filter((each) => isKept(wish, each));
  const best = kept.reduce((least, each) => Math.min(least, measure(each)), Number.POSITIVE_INFINITY);
  for (;;) {
    const at = family.findIndex((each) => isKept(wish, each) === isCheapest);
    const low = family[at - 1];
    const high = family[at];
    if (!low || !high) return;
    const cooldownSeconds = between(low.cooldownSeconds, high.cooldownSeconds);
    // What is between them is no better than the one that misses the wish.
    if (cooldownSeconds === undefined || measure(isCheapest ? low : high) >= best) return;
    family.splice(at, 0, await replay({ ...high, cooldownSeconds }));
  }
}

/** A cooldown that people would write; undefined if there is none. */
function between(low: number, high: number): number | undefined {
  const step = high > 600 ? 60 : high > 120 ? 30 : 10;
  const middle = step * Math.round((low + high) / 2 / step);
  return middle > low && middle < high ? middle : undefined;
}

/** All but the cooldown: those with fewer replicas at most first. */
function neighbors({ minReplicas, maxReplicas }: ScalingSettings, concurrencies: readonly number[]) {
  const half = concurrencies.length > 1 ? maxReplicas : Math.ceil(maxReplicas / 2);
  const maxima = [...new Set([half, maxReplicas, 2 * maxReplicas])];
  const minima = minReplicas > 2 ? [0, 1, minReplicas] : [0, 1, 2];
  return maxima.flatMap((most) =>
    minima
      .filter((least) => least <= most)
      .flatMap((least) => concurrencies.map((concurrency) => ({ minReplicas: least, maxReplicas: most, concurrency }))),
  );
}

export function settingsKey({ minReplicas, maxReplicas, cooldownSeconds, concurrency }: ScalingSettings): string {
  return [minReplicas, maxReplicas, cooldownSeconds, concurrency].join('/');
}
