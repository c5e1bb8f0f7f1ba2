/** Tasks, so many at a time, the first come first. None of them may fail: they report for themselves. */
export class TaskQueue {
  #running = 0;
  #waiting: (() => Promise<void>)[] = [];
  #listeners: (() => void)[] = [];

  constructor(private readonly most: number) {}

  add(task: () => Promise<void>): void {
    this.#waiting.push(task);
    this.#next();
  }

  /** Waits until at most so many tasks wait to begin. */
  async waitForRoom(waiting: number): Promise<void> {
    while (this.#waiting.length > waiting) await this.#change();
  }

  async waitUntilIdle(): Promise<void> {
    while (this.#running > 0 || this.#waiting.length > 0) await this.#change();
  }

  /** What has not begun never will. */
  clear(): void {
    this.#waiting = [];
    this.#tell();
  }

  #next(): void {
    while (this.#running < this.most) {
      const task = this.#waiting.shift();
      if (!task) return;
      this.#running++;
      void task().finally(() => {
        this.#running--;
        this.#next();
        this.#tell();
      });
    }
  }

  #change(): Promise<void> {
    return new Promise((told) => this.#listeners.push(told));
  }

  #tell(): void {
    for (const told of this.#listeners.splice(0)) told();
  }
}
