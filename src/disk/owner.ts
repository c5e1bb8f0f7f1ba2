import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';

/** The process that holds a lock or a claim, as the name of its file tells. */
export interface LockOwner {
  pid: number;
  /** When the process started, in clock ticks since the machine did; 0 where the system does not tell. */
  startedAt: number;
  /** Hash of the host name: a process id means nothing on another machine. */
  host: string;
}

/** A name for a file of this process that no other process, and no other call, ever uses. */
export function newOwnerName(): string {
  return `${process.pid}-${startOf(process.pid) ?? 0}-${hostHash()}-${randomBytes(8).toString('hex')}`;
}

/** Reads a name made by {@link newOwnerName}; undefined if it is not one. */
export function parseOwnerName(name: string): LockOwner | undefined {
  const [, pid, startedAt, host] = /^(\d{1,10})-(\d{1,20})-([0-9a-f]{8})-[0-9a-f]{16}$/.exec(name) ?? [];
  return host === undefined ? undefined : { pid: Number(pid), startedAt: Number(startedAt), host };
}

/**
 * Whether the process still runs; undefined for a process of another machine. A process id that the system has given
 * to a new process since then does not count, nor does a process that has ended and whose parent has not asked how.
 */
export function isAlive({ pid, startedAt, host }: LockOwner): boolean | undefined {
  if (host !== hostHash()) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const [state] = statusOf(pid);
  if (state === 'Z' || state === 'X') return false;
  const started = startedAt === 0 ? undefined : startOf(pid);
  return started === undefined || started === startedAt;
}

/** A process on another machine cannot be asked: it shows that it is alive by writing to its file. */
const heartbeatMs = 10_000;
const silentMs = 60_000;

/**
 * Writes the first byte of this process's file again and again, so that the disk dates it. Returns how to stop. A file
 * that is gone stays gone.
 */
export function startHeartbeat(file: string, firstByte: string): () => void {
  const beat = () => {
    try {
      const descriptor = openSync(file, 'r+');
      writeSync(descriptor, firstByte, 0);
      closeSync(descriptor);
    } catch {}
  };
  const timer = setInterval(beat, heartbeatMs).unref();
  return () => clearInterval(timer);
}

/** Whether the owner of a file holds it no more. `now` is by the clock of the disk, which may be another machine's. */
export function isAbandoned(file: string, owner: LockOwner, now: number): boolean {
  const alive = isAlive(owner);
  if (alive !== undefined) return !alive;
  return now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= silentMs;
}

function hostHash(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

/** Field 22 of `/proc/PID/stat`. */
function startOf(pid: number): number | undefined {
  return Number(statusOf(pid)[19]) || undefined;
}

/**
 * `/proc/PID/stat` from its third field, the state, on; empty where the system has no such file. The name of the
 * command before it may contain spaces and parentheses.
 */
function statusOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
