import { defaultExclude } from '../../app/collect.ts';
import { excludeLine } from '../../app/files/patterns.ts';
import type { Progress } from '../../kernel/output/progress.ts';

/** In so many reloads running, each of which followed the one before at once: no person saves like that. */
const most = { reloads: 5, pauseMs: 2_000 };

/** Files that change faster than the app is reloaded: logs, databases, what another program saves by itself. */
export class RestlessFiles {
  /** When the last reload ended, by the monotonic clock. */
  endedAt = Number.NEGATIVE_INFINITY;
  #streaks = new Map<string, number>();
  /** Whose changes reload the app no more: such a file may be what gantry prints (`gantry dev | tee log`). */
  readonly ignored = new Set<string>();

  constructor(private readonly progress: Progress) {}

  /** Counts the files that a reload is for. Names each that changes too often, once, with the line that leaves it out. */
  count(changed: readonly string[], noticedAt: number, exclude: readonly string[] = defaultExclude): void {
    if (changed.length === 0) return;
    const isAtOnce = noticedAt - this.endedAt < most.pauseMs;
    const before = this.#streaks;
    this.#streaks = new Map();
    // What a person writes, however often it is saved: no program does.
    for (const path of changed.filter((each) => !/\.(py|toml)$/.test(each))) {
      const reloads = 1 + ((isAtOnce && before.get(path)) || 0);
      this.#streaks.set(path, reloads);
      if (reloads === most.reloads) this.#name(path, exclude);
    }
  }

  #name(path: string, exclude: readonly string[]): void {
    this.ignored.add(path);
    const message = `${path} keeps changing: its changes reload the app no more`;
    const why = `it changed in ${most.reloads} reloads running, each within ${most.pauseMs / 1_000} s of the one before`;
    this.progress.warn({
      severity: 'warning',
      message,
      why,
      fix: `${excludeLine(exclude, [path])} if the app does not need it`,
    });
  }
}
