/** Chance from a seed: the same seed draws the same things, in the same order. */
export class Draw {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = (Math.imul(seed | 0, 0x9e3779b1) ^ 0x5bd1e995) >>> 0;
    for (let i = 0; i < 4; i++) this.next();
  }

  /** At least 0, below 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number between two, both included. @param {number} least @param {number} most */
  int(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** @param {number} probability */
  chance(probability) {
    return this.next() < probability;
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    if (list.length === 0) throw new Error('nothing to pick from');
    return /** @type {T} */ (list[Math.floor(this.next() * list.length)]);
  }

  /** Some of them, in their order. @template T @param {readonly T[]} list @param {number} probability @returns {T[]} */
  some(list, probability) {
    return list.filter(() => this.chance(probability));
  }

  /** @template T @param {readonly (readonly [number, T])[]} choices weights and what they stand for @returns {T} */
  weighted(choices) {
    const all = choices.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.next() * all;
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return /** @type {readonly [number, T]} */ (choices.at(-1))[1];
  }
}
