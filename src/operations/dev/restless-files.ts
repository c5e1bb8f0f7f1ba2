import type { Progress } from '../../output/progress.ts';
import { defaultExclude } from '../../project/collect.ts';
import { excludeLine } from '../../project/files/patterns.ts';

/** In so many reloads running, each of which followed the one before at once: no person saves like that. */
const most = { reloads: 5, pauseMs: 2_000 };

/** Files that change faster than the app is reloaded: logs, databases, what another program saves by itself. */
export class RestlessFiles {
  /** When the last reload ended, by the monotonic clock. */
  endedAt = Number.NEGATIVE_INFINITY;
  #streaks = new Map<string, number>();

  constructor(private readonly progress: Progress) {}

  /** Counts the files that a reload is for. Names each that changes too often, with the line that leaves it out. */
  count(changed: readonly string[], noticedAt: number, exclude: readonly string[] = defaultExclude): void {
    const before = noticedAt - this.endedAt < most.pauseMs ? this.#streaks : new Map<string, number>();
    this.#streaks = new Map(changed.map((path) => [path, (before.get(path) ?? 0) + 1]));
    for (const [path, reloads] of this.#streaks) {
      if (reloads !== most.reloads) continue;
      const message = `${path} changes faster than the app is reloaded`;
      const why = `it changed in ${reloads} reloads running`;
      const fix = `${excludeLine(exclude, [path])} if the app does not need it`;
      this.progress.warn({ severity: 'warning', message, why, fix });
    }
  }
}
