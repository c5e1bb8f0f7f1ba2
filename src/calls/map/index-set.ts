/** A set of numbers from 0 up to a limit, in one bit each. */
export class IndexSet {
  readonly #bits: Uint8Array;
  #size = 0;

  constructor(readonly limit: number) {
    this.#bits = new Uint8Array(Math.ceil(limit / 8));
  }

  get size(): number {
    return this.#size;
  }

  has(index: number): boolean {
    return ((this.#bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  /** Returns false if it was there already. */
  add(index: number): boolean {
    if (this.has(index)) return false;
    this.#bits[index >> 3] = (this.#bits[index >> 3] ?? 0) | (1 << (index & 7));
    this.#size++;
    return true;
  }
}
