import type { Context } from '../../context.ts';
import { defaultExclude } from '../../project/collect.ts';
import { excludeLine } from '../../project/files/patterns.ts';

/** In so many reloads running, each of which followed the one before at once: no person saves like that. */
const most = { reloads: 5, pauseMs: 2_000 };

interface ReloadFacts {
  noticedAt: number;
  /** The present patterns, if there are any. */
  exclude: readonly string[] | undefined;
}

/** Files that change faster than the app is reloaded: logs, databases, what another program saves by itself. */
export class RestlessFiles {
  /** When the last reload ended, by the monotonic clock. */
  endedAt = Number.NEGATIVE_INFINITY;
  #streaks = new Map<string, number>();
  readonly #named = new Set<string>();

  constructor(private readonly context: Pick<Context, 'progress'>) {}

  /** Counts the files that a reload is for, and names each that changes too often, once, with the line that leaves it out. */
  count(changed: readonly string[], { noticedAt, exclude = defaultExclude }: ReloadFacts): void {
    const before = noticedAt - this.endedAt < most.pauseMs ? this.#streaks : new Map<string, number>();
    this.#streaks = new Map(changed.map((path) => [path, (before.get(path) ?? 0) + 1]));
    for (const [path, reloads] of this.#streaks) {
      if (reloads < most.reloads || this.#named.has(path)) continue;
      this.#named.add(path);
      this.context.progress.warn({
        severity: 'warning',
        message: `${path} changes faster than the app is reloaded`,
        why: `it changed in ${reloads} reloads running`,
        fix: `${excludeLine(exclude, [path])} if the app does not need it`,
      });
    }
  }
}
