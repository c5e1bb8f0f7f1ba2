/** Runs tasks in their order, at most `concurrency` at a time. Tasks must not reject: they report their own failures. */
export class TaskQueue {
  #running = 0;
  #waiting: (() => Promise<void>)[] = [];
  #listeners: (() => void)[] = [];

  constructor(private readonly concurrency: number) {}

  add(task: () => Promise<void>): void {
    this.#waiting.push(task);
    this.#startNext();
  }

  /** Resolves when at most `maxWaiting` tasks have not started. */
  async waitForRoom(maxWaiting: number): Promise<void> {
    while (this.#waiting.length > maxWaiting) await this.#change();
  }

  async waitUntilIdle(): Promise<void> {
    while (this.#running > 0 || this.#waiting.length > 0) await this.#change();
  }

  /** Removes the tasks that have not started. */
  clear(): void {
    this.#waiting = [];
    this.#notify();
  }

  #startNext(): void {
    while (this.#running < this.concurrency) {
      const task = this.#waiting.shift();
      if (!task) return;
      this.#running++;
      void task().finally(() => {
        this.#running--;
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
