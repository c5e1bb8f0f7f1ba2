import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readlinkSync, statSync, utimesSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { every } from '../clock.ts';
import { dayMs } from '../durations.ts';
import { attempt, systemCode } from '../errors.ts';
import { once } from '../once.ts';
import { statOf } from '../process.ts';
import { namesIn } from './folders.ts';

/** The process that holds a lock or a claim, or made a temporary file, from the name of the file. */
export interface LockOwner {
  pid: number;
  /** Start of the process in clock ticks since boot; 0 if unknown. */
  startedAt: number;
  /** Hash of host, boot and pid namespace: a process id means nothing in another one. */
  namespace: string;
}

/** A unique file name that identifies this process. */
export function newOwnerName(): string {
  return `${process.pid}-${ownStart()}-${ownNamespace()}-${randomBytes(8).toString('hex')}`;
}

/** Reads a name made by {@link newOwnerName}; undefined if it is not one. */
export function parseOwnerName(name: string): LockOwner | undefined {
  const [, pid, startedAt, namespace] = /^(\d{1,10})-(\d{1,20})-([0-9a-f]{8})-[0-9a-f]{16}$/.exec(name) ?? [];
  return namespace === undefined ? undefined : { pid: Number(pid), startedAt: Number(startedAt), namespace };
}

/** What a folder has whose name identifies its owner, besides this part of it. None if it cannot be read. */
export function ownedIn(folder: string, besides: string | RegExp = '') {
  return namesIn(folder).flatMap((name) => {
    const owner = parseOwnerName(name.replace(besides, ''));
    return owner ? [{ name, owner, path: join(folder, name) }] : [];
  });
}

/** Undefined for another machine or container. Detects reused process ids and zombie processes. */
export function isAlive({ pid, startedAt, namespace }: LockOwner): boolean | undefined {
  if (namespace !== ownNamespace()) return undefined;
  if (pid === process.pid) return startedAt === 0 || [0, startedAt].includes(ownStart());
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false;
  }
  // `/proc` may have been mounted in another namespace, whose process ids are not ours.
  if (attempt(() => readlinkSync('/proc/self')) !== String(process.pid)) return true;
  const [state] = statOf(pid);
  if (state === 'Z' || state === 'X') return false;
  const started = startedAt === 0 ? undefined : startOf(pid);
  return started === undefined || started === startedAt;
}

/** A process in another namespace cannot be checked, so owners touch their file or folder regularly. */
const heartbeatMs = 10_000;
/** Somebody waits for it. */
const staleMs = 60_000;
/** Nobody waits for it, and its owner may be suspended. */
const forgottenMs = dayMs;

/**
 * Rewrites the first byte of a file regularly, so that the disk updates its time; touches a folder. Does not recreate
 * what was deleted. Returns what stops it.
 */
export function startHeartbeat(path: string, firstByte?: string): () => void {
  const beat = () => (firstByte === undefined ? utimesSync(path, new Date(), new Date()) : rewrite(path, firstByte));
  return every(heartbeatMs, () => attempt(beat), { background: true });
}

function rewrite(file: string, firstByte: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    writeSync(descriptor, firstByte, 0);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the owner of a lock is gone. `now` is by the clock of the disk, which may be another machine's. */
export function isAbandoned(file: string, owner: LockOwner, now: number): boolean {
  return !(isAlive(owner) ?? now - touchedAt(file) < staleMs);
}

/** Whether what an owner left may be removed: it is dead, or has not touched it for a day and cannot be checked. */
export function isOrphaned(path: string, owner: LockOwner): boolean {
  return !(isAlive(owner) ?? Date.now() - touchedAt(path) < forgottenMs);
}

function touchedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const ownNamespace = once(() => createHash('sha256').update(describeNamespace()).digest('hex').slice(0, 8));

/**
 * Containers may share the name of their host, and machines a home. Other systems have no pid namespaces. On Linux without
 * `/proc` the namespace is unknown, so that no other process can be checked.
 */
function describeNamespace(): string {
  if (process.platform !== 'linux') return hostname();
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const pids = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return boot && pids ? `${hostname()} ${boot} ${pids}` : randomBytes(16).toString('hex');
}

const ownStart = once(() => startOf('self') ?? 0);

/** Field 22 of `/proc/PID/stat`. */
function startOf(pid: number | 'self'): number | undefined {
  return Number(statOf(pid)[19]) || undefined;
}
