import { AdaptiveWidth } from './adaptive-width.ts';

/** The latency of small requests is hidden by many of them in flight; a few large ones saturate the line. */
export type RequestKind = 'small' | 'large';

interface PooledRequest {
  kind: RequestKind;
  /** Lower orders run first, so that started files are finished before new ones are started. */
  order: number;
  bytes: number;
}

interface LimiterOptions {
  /** Requests in flight; undefined: adaptive. */
  concurrency: number | undefined;
  /** Bytes per second of all requests. */
  limitRate?: number | undefined;
  elapsed: () => number;
  /** Takes each decision; shown with `--debug`. */
  trace: (decision: string) => void;
}

/** Large requests in flight, if no flag says otherwise. */
export const maxLarge = 32;
/** Small and large requests in flight, if no flag says otherwise. */
const maxRequests = 128;
/** Bytes per second of each connection at least: storage closes those that are slower. */
const minConnectionRate = 256 * 1024;
/** Bytes per second of each part at least: an interruption loses what is in flight, so that a part must end in seconds. */
const minPartRate = 2 * 1024 * 1024;

/** The requests in flight. Small and large ones share it: of those that wait, each kind gets every second place. */
export class RequestLimiter {
  readonly max: number;
  readonly #width: AdaptiveWidth;
  /** Requests of any kind for each large one that may be in flight. */
  readonly #requestsPerLarge: number;
  readonly #running = { small: 0, large: 0 };
  readonly #waiting: Record<RequestKind, { order: number; start: () => void }[]> = { small: [], large: [] };
  #last: RequestKind = 'small';

  constructor(private readonly options: LimiterOptions) {
    const { concurrency, limitRate = Number.POSITIVE_INFINITY } = options;
    const fitting = (rate: number) => Math.max(1, Math.floor(limitRate / rate));
    this.max = Math.min(fitting(minConnectionRate), concurrency ?? maxRequests);
    const max = Math.min(this.max, concurrency ?? Math.min(maxLarge, fitting(minPartRate)));
    this.#width = new AdaptiveWidth({ ...options, max });
    this.#requestsPerLarge = this.max / max;
  }

  get maxLarge(): number {
    return this.#width.max;
  }

  limit(kind: RequestKind): number {
    const large = this.#width.current;
    return kind === 'large' ? large : Math.min(this.max, large * this.#requestsPerLarge);
  }

  /** `task` calls `begin` when its transfer begins, if that is later. */
  async run<T>({ kind, order, bytes }: PooledRequest, task: (begin: () => void) => Promise<T>): Promise<T> {
    if (this.#hasRoom(kind)) this.#start(kind);
    else await new Promise<void>((start) => this.#enqueue(kind, order, start));
    const { elapsed } = this.options;
    const width = this.#width;
    let startedAt = elapsed();
    const { round } = width;
    try {
      const result = await task(() => {
        startedAt = elapsed();
      });
      width.recover(kind === 'large' ? 1 : 1 / this.#requestsPerLarge ** 2);
      const isFull = this.#running.large >= width.current;
      if (kind === 'large' && isFull) width.measure({ round, bytes, ms: elapsed() - startedAt });
      return result;
    } finally {
      this.#running[kind]--;
      this.#startWaiting();
    }
  }

  reduce(): void {
    this.#width.reduce();
  }

  #hasRoom(kind: RequestKind): boolean {
    const { small, large } = this.#running;
    return small + large < this.limit('small') && (kind === 'small' || large < this.limit('large'));
  }

  #start(kind: RequestKind): void {
    this.#running[kind]++;
    this.#last = kind;
  }

  /** Searches from the end: a new request usually has the highest order. */
  #enqueue(kind: RequestKind, order: number, start: () => void): void {
    const waiting = this.#waiting[kind];
    let index = waiting.length;
    while (index > 0 && (waiting[index - 1]?.order ?? 0) > order) index--;
    waiting.splice(index, 0, { order, start });
  }

  #startWaiting(): void {
    for (;;) {
      const kinds: RequestKind[] = this.#last === 'small' ? ['large', 'small'] : ['small', 'large'];
      const kind = kinds.find((each) => this.#waiting[each].length > 0 && this.#hasRoom(each));
      if (!kind) return;
      this.#start(kind);
      this.#waiting[kind].shift()?.start();
    }
  }
}
