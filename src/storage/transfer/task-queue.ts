interface Task {
  run: () => Promise<void>;
  places: number;
}

/** In their order, at most `concurrency` at a time; a task may take several places. Tasks must not reject. */
export class TaskQueue {
  #running = 0;
  #waiting: Task[] = [];
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

/** Does some of the work at the same time. Throws the first error once nothing is in progress, and begins nothing after it. */
export async function inLane<Item>(
  concurrency: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const lane = new TaskQueue(concurrency);
  const errors: unknown[] = [];
  for (const item of items) {
    lane.add(async () => {
      if (errors.length === 0) await work(item).catch((error: unknown) => void errors.push(error));
    });
  }
  await lane.waitUntilIdle();
  if (errors.length > 0) throw errors[0];
}
