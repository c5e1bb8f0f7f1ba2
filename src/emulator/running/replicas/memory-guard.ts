import { readFileSync } from 'node:fs';
import { every } from '../../../kernel/clock.ts';
import type { AppSettings } from '../../model/apps/settings.ts';
import { processTree, readProcessUsage } from '../metrics.ts';
import { killTree } from '../processes/process.ts';
import type { Replica, ReplicaOptions } from './replica.ts';
import type { RestartingReplica } from './restarting-replica.ts';

interface GuardedReplica {
  replica: Replica;
  limitBytes: number;
  /** Called before its processes are killed. */
  onKill(usedBytes: number): void;
}

/** On Linux reading takes a tenth of a millisecond; elsewhere it starts a program. */
const intervalMs = process.platform === 'linux' ? 500 : 5_000;

/** Kills replicas that use more memory than they may, as the kernel of a platform does. */
export class MemoryGuard {
  readonly #guarded = new Set<GuardedReplica>();
  #stopTimer: (() => void) | undefined;

  /** Only without a GPU: what is in the memory of a GPU on the platform is in that of this machine. */
  watch(replica: RestartingReplica, { memory, compute }: AppSettings, print: ReplicaOptions['print']): void {
    if (compute[0] !== 'CPU') return;
    const onKill = (usedBytes: number) => {
      const used = `${(usedBytes / gibibyte).toFixed(2)} GB of memory, and its limit is ${memory} GB`;
      const text = `OOMKilled: the replica used ${used} (hardware.memory)`;
      if (replica.runs.size === 0) print({ stream: 'stderr', text });
      for (const run of replica.runs) print({ run, stream: 'stderr', text });
    };
    const guarded = { replica, limitBytes: memory * gibibyte, onKill };
    this.#guarded.add(guarded);
    this.#stopTimer ??= every(intervalMs, () => void this.#check(), { background: true });
    const remove = () => this.#remove(guarded);
    replica.ended.then(remove, remove);
  }

  #remove(guarded: GuardedReplica): void {
    this.#guarded.delete(guarded);
    if (this.#guarded.size > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  async #check(): Promise<void> {
    const usages = await readProcessUsage([...this.#guarded].flatMap(({ replica }) => replica.pid ?? []));
    for (const { replica, limitBytes, onKill } of this.#guarded) {
      const id = replica.pid;
      const memoryBytes = id === undefined ? undefined : usages.get(id)?.memoryBytes;
      if (id === undefined || memoryBytes === undefined || memoryBytes <= limitBytes) continue;
      const usedBytes = readOwnMemory(id) ?? memoryBytes;
      if (usedBytes <= limitBytes) continue;
      onKill(usedBytes);
      killTree(id, 'SIGKILL');
    }
  }
}

const gibibyte = 1024 ** 3;

/** Like the resident memory, but counts what several processes share only once. Undefined where it cannot be read. */
function readOwnMemory(pid: number): number | undefined {
  try {
    return processTree(pid).reduce((sum, each) => sum + readProportionalSize(each), 0);
  } catch {
    return undefined;
  }
}

function readProportionalSize(pid: number): number {
  const [, kilobytes = '0'] = /^Pss:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
