import { every } from '../../kernel/clock.ts';

/** In ms. Work on other threads, such as compression, shows in no list of resources: it ends long before. */
const intervalMs = 1_000;
const idleChecks = 5;

/**
 * Tells running commands when the process waits for nothing but its streams: a command that has not settled by then never
 * will. A server's event loop never runs empty, as that of a single command does.
 */
export class IdleWatch {
  readonly #listeners = new Set<() => void>();
  #stopTimer: (() => void) | undefined;
  #checks = 0;

  /** Returns a function that stops listening. */
  onIdle(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#checks = 0;
    this.#stopTimer ??= every(intervalMs, () => this.#check());
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stopTimer?.();
      this.#stopTimer = undefined;
    };
  }

  #check(): void {
    this.#checks = isIdle() ? this.#checks + 1 : 0;
    if (this.#checks < idleChecks) return;
    for (const listener of this.#listeners) listener();
  }
}

/** Nothing but the streams of the process, and the timer that asks. */
function isIdle(): boolean {
  const others = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap' && name !== 'TTYWrap');
  return others.length <= 1 && others.every((name) => name === 'Timeout');
}
