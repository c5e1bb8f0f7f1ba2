import { every } from '../../../kernel/clock.ts';
import type { UsageSample } from '../../model/metrics/usage-sample.ts';
import type { TimeRange } from '../../model/time.ts';
import { readProcessUsage } from './process-usage.ts';

interface WatchedReplica {
  app: string;
  container: string;
  /** Undefined before its process starts. */
  pid: () => number | undefined;
  /** At the last sample, by a clock that does not jump. */
  measuredAt: number;
  cpuMs: number;
}

const intervalMs = 5_000;
/** The kernel counts CPU time in steps of 10 ms. */
const minIntervalMs = 100;
/** Of each app: a day of one replica. */
const maxSamples = 20_000;

/** Measures the processes of replicas while there are any. Samples are kept in memory. */
export class UsageSampler {
  readonly #watched = new Set<WatchedReplica>();
  readonly #samples = new Map<string, UsageSample[]>();
  #stopTimer: (() => void) | undefined;

  constructor(private readonly now: () => number) {}

  /** Until `ended` is settled. */
  watch(app: string, container: string, pid: () => number | undefined, ended: Promise<unknown>): void {
    const replica = { app, container, pid, measuredAt: performance.now(), cpuMs: 0 };
    this.#watched.add(replica);
    this.#stopTimer ??= every(intervalMs, () => void this.sample(), { background: true });
    const remove = () => {
      this.#watched.delete(replica);
      if (this.#watched.size > 0) return;
      this.#stopTimer?.();
      this.#stopTimer = undefined;
    };
    ended.then(remove, remove);
  }

  /** An app whose replica listens on a port, as far as that is known. */
  async listenerOn(port: number, portsOf: (pid: number) => Promise<number[]>): Promise<string | undefined> {
    for (const { app, pid } of this.#watched) {
      const id = pid();
      if (id !== undefined && (await portsOf(id)).includes(port)) return app;
    }
    return undefined;
  }

  /** Takes a sample now, so that short lives are seen as well. */
  async sample(): Promise<void> {
    const due = [...this.#watched].filter(({ measuredAt }) => performance.now() - measuredAt >= minIntervalMs);
    const usages = await readProcessUsage(due.flatMap(({ pid }) => pid() ?? []));
    for (const replica of due) {
      const usage = usages.get(replica.pid() ?? -1);
      const elapsedMs = performance.now() - replica.measuredAt;
      // Another sample may have been taken meanwhile.
      if (!usage || elapsedMs < minIntervalMs) continue;
      const cores = Math.max(0, usage.cpuMs - replica.cpuMs) / elapsedMs;
      replica.measuredAt += elapsedMs;
      replica.cpuMs = usage.cpuMs;
      this.#add(replica, { cores, memoryGb: usage.memoryBytes / 1e9 });
    }
  }

  samplesOf(app: string, { start, end }: TimeRange): UsageSample[] {
    return (this.#samples.get(app) ?? []).filter(({ at }) => at >= start && at <= end);
  }

  delete(app: string): void {
    this.#samples.delete(app);
  }

  clear(): void {
    this.#samples.clear();
  }

  #add({ app, container }: WatchedReplica, usage: Pick<UsageSample, 'cores' | 'memoryGb'>): void {
    const samples = this.#samples.get(app) ?? [];
    // Apps run on the CPU here.
    samples.push({ at: this.now(), container, ...usage, gpuGb: null });
    if (samples.length > maxSamples * 1.2) samples.splice(0, samples.length - maxSamples);
    this.#samples.set(app, samples);
  }
}
