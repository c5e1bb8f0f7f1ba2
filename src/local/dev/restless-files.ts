import { defaultExclude } from '../../app/collect.ts';
import { excludeLine } from '../../app/files/patterns.ts';
import type { Progress } from '../../kernel/output/progress.ts';
import type { FolderChange } from './folder-watcher.ts';

/** In so many reloads running, each of which followed the one before at once: no person saves like that. */
const most = { reloads: 5, pauseMs: 2_000, echoMs: 300 };

/** What a person writes, however often it is saved: no program does. */
const isSource = (path: string) => /\.(py|toml)$/.test(path);

interface ReloadFacts extends Pick<FolderChange, 'noticedAt' | 'silentMs'> {
  grows: (path: string) => boolean;
  /** The present patterns, if there are any. */
  exclude: readonly string[] | undefined;
}

/** Files that change faster than the app is reloaded: logs, databases, what another program saves by itself. */
export class RestlessFiles {
  /** When the last reload ended, by the monotonic clock. */
  endedAt = Number.NEGATIVE_INFINITY;
  /** In how many reloads running a file has changed, and in how many of these right after gantry had printed something. */
  #streaks = new Map<string, { reloads: number; echoes: number }>();
  /** What grows by what gantry prints (`gantry dev | tee log`): it would else be reloaded because it was reloaded. */
  readonly outputs = new Set<string>();

  constructor(private readonly progress: Progress) {}

  /** Counts the files that a reload is for. Names each that changes too often, once, with the line that leaves it out. */
  count(changed: readonly string[], { noticedAt, silentMs, grows, exclude = defaultExclude }: ReloadFacts): void {
    if (changed.length === 0) return;
    const isAtOnce = noticedAt - this.endedAt < most.pauseMs;
    const before = this.#streaks;
    this.#streaks = new Map();
    for (const path of changed.filter((each) => !isSource(each))) {
      const { reloads, echoes } = (isAtOnce && before.get(path)) || { reloads: 0, echoes: 0 };
      const isEcho = silentMs < most.echoMs && grows(path);
      const streak = { reloads: reloads + 1, echoes: echoes + Number(isEcho) };
      this.#streaks.set(path, streak);
      if (streak.reloads === most.reloads) this.#name(path, streak.echoes, exclude);
    }
  }

  #name(path: string, echoes: number, exclude: readonly string[]): void {
    if (echoes === most.reloads) {
      this.outputs.add(path);
      this.progress.note(`${path} grows by what gantry prints: it is not sent, and not watched any more`);
      return;
    }
    const message = `${path} keeps changing`;
    const why = `it changed in ${most.reloads} reloads running, each within ${most.pauseMs / 1_000} s of the one before`;
    this.progress.warn({
      severity: 'warning',
      message,
      why,
      fix: `${excludeLine(exclude, [path])} if the app does not need it`,
    });
  }
}
