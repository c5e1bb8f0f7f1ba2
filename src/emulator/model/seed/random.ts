import type { Weighted } from '../state/traffic-profiles.ts';

export interface SeededRandom {
  /** From 0 up to but not including 1. */
  next(): number;
  logNormal(median: number, spread: number): number;
  /** An approximately Poisson-distributed count. */
  count(mean: number): number;
  pick<T>(choices: Weighted<T>): T;
  hex(digits: number): string;
}

/** Random numbers: equal for equal seeds. */
export function createRandom(seed: string): SeededRandom {
  let state = hash(seed);
  const next = () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    logNormal: (median, spread) => median * Math.exp(spread * normal()),
    count: (mean) => Math.max(0, Math.round(mean + Math.sqrt(mean) * normal())),
    pick<T>({ of, weights }: Weighted<T>) {
      let remaining = next() * weights.reduce((sum, weight) => sum + weight, 0);
      const isChosen = (weight: number) => {
        remaining -= weight;
        return remaining < 0;
      };
      return of.at(weights.findIndex(isChosen)) as T;
    },
    hex: (digits) =>
      Math.floor(next() * 16 ** digits)
        .toString(16)
        .padStart(digits, '0'),
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value;
}
