/** Numbers that look like chance and are the same on every run. */
export interface SeededRandom {
  /** From 0 up to, but without, 1. */
  next(): number;
  /** A number around the median: half of all are less, and a few are much more. */
  logNormal(median: number, spread: number): number;
  /** How often something happens that happens `mean` times on average. */
  count(mean: number): number;
  /** One of the things, by their weights. */
  pick<T>(things: readonly (readonly [thing: T, weight: number])[]): T;
  /** So many digits of a hexadecimal number. */
  hex(digits: number): string;
}

/** The chance that belongs to a name. */
export function createRandom(name: string): SeededRandom {
  let state = hash(name);
  const next = () => {
    // Mulberry32, a generator of 32 bits.
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
    pick(things) {
      let left = next() * things.reduce((sum, [, weight]) => sum + weight, 0);
      let chosen = things[0] as (typeof things)[number];
      for (chosen of things) {
        left -= chosen[1];
        if (left < 0) break;
      }
      return chosen[0];
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
