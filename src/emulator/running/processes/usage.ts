import { readdirSync, readFileSync } from 'node:fs';
import { every } from '../../../kernel/clock.ts';
import { attempt } from '../../../kernel/errors.ts';
import { statOf } from '../../../kernel/process.ts';
import type { UsageSample } from '../../model/metrics/estimated-usage.ts';
import type { TimeRange } from '../../model/time.ts';
import { outputOf } from './process.ts';

interface WatchedReplica {
  app: string;
  container: string;
  /** Undefined before its process starts. */
  pid: () => number | undefined;
  /** Called with what it uses now. */
  guard?: ((pid: number, memoryBytes: number) => void) | undefined;
}

/** On Linux reading takes a tenth of a millisecond; elsewhere it starts a program. */
const intervalMs = process.platform === 'linux' ? 500 : 5_000;
const sampleMs = 5_000;
/** The kernel counts CPU time in steps of 10 ms. */
const minSampleMs = 100;
/** The samples that are kept of each app: a day of one replica. */
const maxSamples = 20_000;

/** Measures the processes of replicas while there are any. Samples are kept in memory. */
export class UsageSampler {
  /** With the time of the last sample, by a clock that does not jump. */
  readonly #watched = new Set<WatchedReplica & { measuredAt: number; cpuMs: number }>();
  readonly #samples = new Map<string, UsageSample[]>();
  #stopTimer: (() => void) | undefined;

  constructor(private readonly now: () => number) {}

  /** Until `ended` is settled. */
  watch(watched: WatchedReplica, ended: Promise<unknown>): void {
    const replica = { ...watched, measuredAt: performance.now(), cpuMs: 0 };
    this.#watched.add(replica);
    this.#stopTimer ??= every(intervalMs, () => void this.sample(sampleMs), { background: true });
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

  /** Takes a sample of those whose last one is so old: now, so that short lives are seen as well. */
  async sample(minMs = minSampleMs): Promise<void> {
    const usages = await readProcessUsage([...this.#watched].flatMap(({ pid }) => pid() ?? []));
    for (const replica of this.#watched) {
      const pid = replica.pid() ?? -1;
      const usage = usages.get(pid);
      const elapsedMs = performance.now() - replica.measuredAt;
      if (usage) replica.guard?.(pid, usage.memoryBytes);
      if (!usage || elapsedMs < minMs) continue;
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

/** What a process and its descendants use. */
interface ProcessUsage {
  /** CPU time since its start. */
  cpuMs: number;
  memoryBytes: number;
}

/** The usage by process id. Processes that have ended are missing, and on Windows all are. */
async function readProcessUsage(pids: readonly number[]): Promise<Map<number, ProcessUsage>> {
  if (pids.length === 0 || process.platform === 'win32') return new Map();
  // Each app process leads a process group, which has its children.
  if (process.platform !== 'linux')
    return sumByGroup((await outputOf(['ps', '-A', '-o', 'pgid=,time=,rss='])) ?? '', pids);
  const usages = pids.map((pid) => [pid, attempt(() => readFromProc(pid))] as const);
  return new Map(usages.filter((entry): entry is [number, ProcessUsage] => entry[1] !== undefined));
}

/** Linux counts CPU time in hundredths of a second. */
const tickMs = 10;

/** Throws if it has ended. */
function readFromProc(pid: number): ProcessUsage {
  // CPU times are fields 14 to 17: its own, and those of children that have ended.
  const ticks = statOf(pid)
    .slice(11, 15)
    .reduce((sum, field) => sum + Number(field), 0);
  const [, kilobytes = '0'] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const usage = { cpuMs: ticks * tickMs, memoryBytes: Number(kilobytes) * 1024 };
  const children = childrenOf(pid).map((child) => attempt(() => readFromProc(child)));
  return children.reduce<ProcessUsage>(addUsage, usage);
}

/** A process and its descendants, on Linux. Throws if one of them has ended. */
export function processTree(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(processTree)];
}

/** The processes of a group, on Linux: also those whose parent has ended. */
export function processGroup(leader: number): number[] {
  // One that has ended is of none.
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number(statOf(pid)[2]) === leader);
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
}

function addUsage(a: ProcessUsage, b: ProcessUsage | undefined): ProcessUsage {
  if (!b) return a;
  return { cpuMs: a.cpuMs + b.cpuMs, memoryBytes: a.memoryBytes + b.memoryBytes };
}

/** Lines of a group, a CPU time and a size in KiB: `123  1:02.03  20480`. */
export function sumByGroup(lines: string, groups: readonly number[]): Map<number, ProcessUsage> {
  const sums = new Map<number, ProcessUsage>();
  for (const line of lines.split('\n')) {
    const [group = '', time = '', kilobytes = ''] = line.trim().split(/\s+/);
    if (!groups.includes(Number(group))) continue;
    const usage = { cpuMs: parseCpuTime(time), memoryBytes: Number(kilobytes) * 1024 };
    sums.set(Number(group), addUsage(usage, sums.get(Number(group))));
  }
  return sums;
}

/** `[[days-]hours:]minutes:seconds`, with or without a fraction. */
function parseCpuTime(text: string): number {
  const [clock = '', days = '0'] = text.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1000;
}
