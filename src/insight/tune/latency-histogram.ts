/** Durations in buckets of one percent: enough for percentiles, and a million of them take 8 KB. */
export class LatencyHistogram {
  /** The bucket of a duration in ms. */
  static bucketOf(ms: number): number {
    return ms <= 1 ? 0 : Math.min(buckets - 1, Math.round(Math.log(ms) * bucketsPerE));
  }

  size = 0;
  readonly #counts = new Uint32Array(buckets);

  add(bucket: number): void {
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.size++;
  }

  addAll(other: LatencyHistogram): this {
    for (let bucket = 0; bucket < buckets; bucket++)
      this.#counts[bucket] = (this.#counts[bucket] as number) + (other.#counts[bucket] as number);
    this.size += other.size;
    return this;
  }

  /** In ms. 0 without any. */
  quantile(share: number): number {
    let left = Math.ceil(share * this.size);
    for (let bucket = 0; bucket < buckets; bucket++) {
      left -= this.#counts[bucket] as number;
      if (left <= 0 && this.size > 0) return Math.exp(bucket / bucketsPerE);
    }
    return 0;
  }
}

const bucketsPerE = 100;
/** Up to e^20 ms, which is 15 years. */
const buckets = 2_048;
