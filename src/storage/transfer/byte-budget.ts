/** Memory that several tasks share, in the order in which they ask. */
export class ByteBudget {
  #used = 0;
  readonly #waiting: { bytes: number; start: () => void }[] = [];

  constructor(private readonly max: number) {}

  /** Resolves when this number of bytes is free; for more than there are, when all are free. Rejects if the signal aborts. */
  async acquire(bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waiting.length === 0 && this.#hasRoom(bytes)) {
      this.#used += bytes;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting = { bytes, start: () => settle(resolve) };
      const settle = (how: () => void) => {
        signal.removeEventListener('abort', abort);
        how();
      };
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        settle(() => reject(signal.reason));
        this.#startWaiting();
      };
      signal.addEventListener('abort', abort);
      this.#waiting.push(waiting);
    });
  }

  release(bytes: number): void {
    this.#used -= bytes;
    this.#startWaiting();
  }

  #startWaiting(): void {
    for (let [first] = this.#waiting; first && this.#hasRoom(first.bytes); [first] = this.#waiting) {
      this.#waiting.shift();
      this.#used += first.bytes;
      first.start();
    }
  }

  #hasRoom(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= this.max;
  }
}
