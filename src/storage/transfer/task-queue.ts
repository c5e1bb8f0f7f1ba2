/** In their order, at most `concurrency` at a time; a task may take several places. Tasks must not reject. */
export class TaskQueue {
  #running = 0;
  #waiting: { run: () => Promise<void>; places: number }[] = [];
  #listeners: (() => void)[] = [];

  constructor(private readonly concurrency: number) {}

  add(run: () => Promise<void>, places = 1): void {
    this.#waiting.push({ run, places: Math.min(places, this.concurrency) });
    this.#startNext();
  }

  /** Resolves when at most `maxWaiting` tasks have not started. */
  async waitForRoom(maxWaiting: number): Promise<void> {
    while (this.#waiting.length > maxWaiting) await this.#change();
  }

  async waitUntilIdle(): Promise<void> {
    while (this.#running > 0 || this.#waiting.length > 0) await this.#change();
  }

  clear(): void {
    this.#waiting = [];
    this.#notify();
  }

  #startNext(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next || this.#running + next.places > this.concurrency) return;
      this.#waiting.shift();
      this.#running += next.places;
      void next.run().finally(() => {
        this.#running -= next.places;
        this.#startNext();
        this.#notify();
      });
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  #notify(): void {
    for (const resolve of this.#listeners.splice(0)) resolve();
  }
}
