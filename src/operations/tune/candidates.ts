import type { ScalingSettings } from './advice.ts';

/** In seconds. */
const cooldowns = [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600];

/** Settings to try: about a hundred around those of now, which are the first. */
export function candidateSettings(now: ScalingSettings, concurrencies: readonly number[]): ScalingSettings[] {
  const isMany = concurrencies.length > 1;
  const tried = cooldowns.filter((_, index) => !isMany || index % 2 === 0);
  const maxima = isMany ? [now.maxReplicas, 2 * now.maxReplicas] : halfAndDouble(now.maxReplicas);
  const minima = now.minReplicas > 2 ? [0, 1, now.minReplicas] : [0, 1, 2];
  const all = concurrencies.flatMap((concurrency) =>
    maxima.flatMap((maxReplicas) =>
      minima
        .filter((minReplicas) => minReplicas <= maxReplicas)
        .flatMap((minReplicas) =>
          [...tried, now.cooldown].map((cooldown) => ({ minReplicas, maxReplicas, cooldown, concurrency })),
        ),
    ),
  );
  return [now, ...new Map(all.map((each) => [settingsKey(each), each])).values()].filter(
    (each, index) => index === 0 || settingsKey(each) !== settingsKey(now),
  );
}

export function settingsKey({ minReplicas, maxReplicas, cooldown, concurrency }: ScalingSettings): string {
  return [minReplicas, maxReplicas, cooldown, concurrency].join('/');
}

function halfAndDouble(number: number): number[] {
  return [...new Set([number, Math.ceil(number / 2), 2 * number])];
}
