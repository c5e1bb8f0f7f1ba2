import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';

/** The process that holds a lock or a claim, from the name of its file. */
export interface LockOwner {
  pid: number;
  /** Start of the process in clock ticks since boot; 0 if unknown. */
  startedAt: number;
  /** Hash of the host name: a process id means nothing on another machine. */
  host: string;
}

/** A unique file name that identifies this process. */
export function newOwnerName(): string {
  return `${process.pid}-${startOf(process.pid) ?? 0}-${hostHash()}-${randomBytes(8).toString('hex')}`;
}

/** Reads a name made by {@link newOwnerName}; undefined if it is not one. */
export function parseOwnerName(name: string): LockOwner | undefined {
  const [, pid, startedAt, host] = /^(\d{1,10})-(\d{1,20})-([0-9a-f]{8})-[0-9a-f]{16}$/.exec(name) ?? [];
  return host === undefined ? undefined : { pid: Number(pid), startedAt: Number(startedAt), host };
}

/**
 * Whether the process is running; undefined for another machine. Detects reused process ids and zombie processes.
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

/** A process on another machine cannot be checked, so owners touch their file regularly. */
const heartbeatMs = 10_000;
const staleMs = 60_000;

/**
 * Rewrites the first byte of the file regularly, so that the disk updates its time. Returns a function to stop. Does not
 * recreate a deleted file.
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

/** Whether the owner of a file is gone. `now` is by the clock of the disk, which may be another machine's. */
export function isAbandoned(file: string, owner: LockOwner, now: number): boolean {
  const alive = isAlive(owner);
  if (alive !== undefined) return !alive;
  return now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= staleMs;
}

function hostHash(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

/** Field 22 of `/proc/PID/stat`. */
function startOf(pid: number): number | undefined {
  return Number(statusOf(pid)[19]) || undefined;
}

/**
 * `/proc/PID/stat` from its third field, the state; empty if there is no such file. The command name before it may contain
 * spaces and parentheses.
 */
function statusOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
